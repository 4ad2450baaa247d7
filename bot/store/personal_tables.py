"""The bot's own entries in the registry of personal data; a game's are beside its repositories."""

from collections.abc import Collection
from typing import Final

from bot.store.personal_data import BATCH, PersonalTable

AS_TEXT: Final = "CAST(guild_id AS TEXT)"
"""A server's id in an export: many JSON readers round such large numbers."""


def columns(*names: str, json: Collection[str] = ()) -> dict[str, str]:
    """Return what is exported of columns under their own names; `json`: of those that hold JSON, what is in it."""
    found = {name: name for name in names} | {name: f"json({name})" for name in json}
    return found | {"guild_id": AS_TEXT} if "guild_id" in found else found


def _listed(what: str, rows: str) -> str:
    """Return the SQL of a list of `what` in rows, which name their table, their condition and their order."""
    return f"json(coalesce((SELECT json_group_array({what}) FROM (SELECT * FROM {rows})), '[]'))"  # noqa: S608  # constants


_CHANNEL = "a channel"
_MESSAGE = "a message of the bot's own"

_UPLOADS_OF_PERSON = (
    "SELECT sha256 || '.txt' AS name, data FROM uploads WHERE sha256 IN"
    " (SELECT sha256 FROM calculations JOIN calculation_uploads ON calculation_id = id WHERE asker_id = ?1"
    " UNION SELECT sha256 FROM rosters JOIN roster_versions ON roster_id = id WHERE owner_id = ?1)"
    " ORDER BY sha256"
)
_VERSIONS = _listed(
    "json_object('version', version, 'sha256', sha256, 'created_at', created_at)",
    "roster_versions WHERE roster_id = rosters.id ORDER BY version DESC",
)

RECENT_TEXTS = PersonalTable(
    table="recent_texts",
    user_column="user_id",
    label=("recent input", "recent inputs"),
    kept="for autocomplete, and links to sheets; the last 20 of each kind",
    exported=columns("kind", "text"),
    order="sequence DESC",
)

# Queries of others that name the person, such as a challenge, are listed without their content.
CALCULATIONS = PersonalTable(
    table="calculations",
    user_column="asker_id",
    guild_column="guild_id",
    mentions="instr(request, CAST(?1 AS TEXT)) > 0",
    batch_key="id",
    label=("calculation", "calculations"),
    kept="with your id, to turn their pages; 90 days",
    exported={
        **columns("kind", "guild_id"),
        "request": "json(iif(asker_id = ?1, request, 'null'))",
        "uploads": _listed(
            "sha256", "calculation_uploads WHERE calculation_id = calculations.id AND asker_id = ?1 ORDER BY sha256"
        ),
        "created_at": "created_at",
    },
    order="created_at, id",
)

PEOPLE = PersonalTable(
    table="people",
    user_column="user_id",
    label=("emblem", "emblems"),
    kept="with a color, and whether your battles may become puzzles, from /profile; until you choose another",
)

DIGESTS = PersonalTable(
    table="digests",
    user_column="user_id",
    label=("daily message", "daily messages"),
    kept="about what waits for you: hour and zone, from /battle waiting; until a day after you end them",
)

OF_BATTLE: Final = (
    "id IN (SELECT battle_id FROM seats WHERE user_id = ?1)"
    " OR id IN (SELECT battle_id FROM journal WHERE actor = CAST(?1 AS TEXT))"
    " OR id IN (SELECT battle_id FROM undo_requests WHERE user_id = ?1)"
    " OR id IN (SELECT battle_id FROM referees WHERE user_id = ?1)"
    " OR id IN (SELECT battle_id FROM seats_left WHERE user_id = ?1)"
)
"""The condition that a battle names a person, whose id is `?1`, anywhere but as its starter."""

_AGAIN = " ON CONFLICT (battle_id) DO UPDATE SET revision = excluded.revision"
# Within a minute their boards are shown again, without the person.
_BOARDS_AGAIN = (
    "UPDATE weeklies SET next_at = 0 WHERE next_at IS NOT NULL AND id IN (SELECT weekly_id FROM weekly_challenges"
    " JOIN weekly_tries ON challenge_id = weekly_challenges.id WHERE user_id = ?1)"
)
# Their panels are shown again, without the person. PostgreSQL wants each parameter to be named.
_SHOWN_AGAIN = (
    f"UPDATE battles SET revision = revision + 1 WHERE id IN ({BATCH}) AND ?1 = ?1",  # noqa: S608  # a constant
    f"INSERT INTO outbox (battle_id, revision) SELECT id, revision FROM battles WHERE id IN ({BATCH}) AND ?1 = ?1{_AGAIN}",  # noqa: S608, E501  # no player's text
)


def _of_battles(
    table: str, user_column: str = "user_id", *, as_text: bool = False, cleared: bool = False
) -> PersonalTable:
    return PersonalTable(
        table=table,
        user_column=user_column,
        user_as_text=as_text,
        cleared=cleared,
        before_forgetting=_SHOWN_AGAIN,
        batch_key="battle_id",
    )


BATTLES = PersonalTable(
    table="battles",
    user_column="starter_id",
    guild_column="guild_id",
    mentions=OF_BATTLE,
    other_ids={"channel_id": _CHANNEL, "panel_id": _MESSAGE, "seal_id": _MESSAGE, "thread_id": _CHANNEL},
    cleared=True,
    before_forgetting=_SHOWN_AGAIN,
    batch_key="id",
    label=("battle", "battles"),
    kept="with your id: seats and who acted; 90 days after their end",
    exported={
        "battle": "id",
        "number": "number",
        "channel_id": "CAST(channel_id AS TEXT)",
        **columns("guild_id", "system", "status", "created_at"),
        "started": "json(iif(starter_id = ?1, 'true', 'false'))",
        "seats": _listed("seat", "seats WHERE battle_id = battles.id AND user_id = ?1 ORDER BY position"),
        "seats_left": _listed("seat", "seats_left WHERE battle_id = battles.id AND user_id = ?1 ORDER BY n"),
        "referee": "json(iif((SELECT count(*) FROM referees WHERE battle_id = battles.id AND user_id = ?1) = 1,"
        " 'true', 'false'))",
        "asked_to_undo": "(SELECT version FROM undo_requests WHERE battle_id = battles.id AND user_id = ?1)",
        "acts": _listed(
            "json_object('n', n, 'kind', kind, 'seat', seat, 'action', json(action), 'at', created_at)",
            "journal WHERE battle_id = battles.id AND actor = CAST(?1 AS TEXT) ORDER BY n",
        ),
    },
    order="id",
)

ROSTERS = PersonalTable(
    table="rosters",
    user_column="owner_id",
    guild_column="guild_id",
    label=("roster", "rosters"),
    kept="you saved; until deleted",
    deleted=("saved roster", "saved rosters"),
    exported={"kind": "kind", "name": "name", "shared_with": AS_TEXT, "versions": _VERSIONS},
    order="name_key, id",
)

# Of a battle that nobody else is known to have fought, nothing stays.
_ALONE = (
    f"DELETE FROM results WHERE id IN ({BATCH})"  # noqa: S608  # a constant
    " AND NOT EXISTS (SELECT 1 FROM result_seats WHERE battle_id = results.id AND user_id <> ?1)"
)
_RESULT = "FROM results WHERE id = battle_id"

RESULTS = PersonalTable(
    table="result_seats",
    user_column="user_id",
    cleared=True,
    before_forgetting=(_ALONE,),
    batch_key="battle_id",
    label=("result", "results"),
    kept="of battles, for /profile and ladders; until deleted",
    key="results",
    exported={
        "battle": "battle_id",
        "system": f"(SELECT system {_RESULT})",
        "guild_id": f"(SELECT {AS_TEXT} {_RESULT})",
        "ended_at": f"(SELECT ended_at {_RESULT})",
        **columns("seat", "place"),
    },
    order="battle_id, seat",
)

DICE = PersonalTable(
    table="dice_luck",
    user_column="user_id",
    batch_key="battle_id",
    label=("dice record", "dice records"),
    kept="of battles: what you rolled, for /luck; until deleted",
    key="dice",
    exported={
        "battle": "battle_id",
        **columns("seat", "unit", "dice", "rolled", "best", "worst", json=("dice", "best", "worst")),
    },
    order="battle_id, seat, unit, left_at",
)

CAMPAIGNS = PersonalTable(
    table="campaigns",
    user_column="founder_id",
    guild_column="guild_id",
    label=("campaign", "campaigns"),
    kept="you founded, with the fighters' names; until deleted",
    exported={
        **columns("name", "guild_id", "system", "created_at", "ended_at"),
        "rows": _listed(
            "json_object('n', n, 'battle', battle_id, 'text', text, 'fighters', json(veterans), 'deeds', json(deeds),"
            " 'at', at)",
            "campaign_rows WHERE campaign_id = campaigns.id ORDER BY n",
        ),
    },
    order="id",
)

HOUSE_TABLES: Final = (
    RECENT_TEXTS,
    CALCULATIONS,
    PEOPLE,
    DIGESTS,
    BATTLES,
    _of_battles("seats", cleared=True),
    _of_battles("seats_left", cleared=True),
    _of_battles("journal", "actor", as_text=True, cleared=True),
    _of_battles("undo_requests"),
    _of_battles("referees"),
    PersonalTable(table="server_hours", guild_column="guild_id", other_ids={"forum_id": _CHANNEL}),
    PersonalTable(table="battle_numbers", guild_column="guild_id", other_ids={"channel_id": _CHANNEL}),
    PersonalTable(table="reminders", other_ids={"message_id": _MESSAGE}),
    PersonalTable(table="threads", other_ids={"thread_id": _CHANNEL, "channel_id": _CHANNEL, "line_id": _MESSAGE}),
    PersonalTable(
        table="events",
        guild_column="guild_id",
        other_ids={"channel_id": _CHANNEL, "event_id": "an event in a calendar"},
    ),
    PersonalTable(table="applied_interactions", other_ids={"interaction_id": "a press or a message, for a day"}),
    PersonalTable(table="guilds_left", guild_column="guild_id"),
    PersonalTable(table="guilds_present", guild_column="guild_id"),
    ROSTERS,
    DICE,
    RESULTS,
    PersonalTable(
        table="results",
        guild_column="guild_id",
        other_ids={"channel_id": _CHANNEL, "panel_id": _MESSAGE},
        batch_key="id",
    ),
    PersonalTable(table="ladders", guild_column="guild_id"),
    CAMPAIGNS,
    PersonalTable(
        table="campaign_rows",
        other_ids={"battle_id": "a battle of the bot's own", "channel_id": _CHANNEL, "panel_id": _MESSAGE},
    ),
    PersonalTable(table="weeklies", guild_column="guild_id", other_ids={"channel_id": _CHANNEL}),
    PersonalTable(table="weekly_challenges", other_ids={"post_id": _MESSAGE, "card_id": _MESSAGE}),
    PersonalTable(
        table="weekly_tries",
        user_column="user_id",
        other_ids={"battle_id": "a battle of the bot's own"},
        before_forgetting=(_BOARDS_AGAIN,),
        label=("try of a weekly challenge", "tries of weekly challenges"),
        kept="with your results; for a year, or until deleted",
        order="battle_id",
    ),
    PersonalTable(
        table="uploads",
        label=("file", "files"),
        kept="behind calculations and rosters; as long as these",
        files=_UPLOADS_OF_PERSON,
    ),
)
