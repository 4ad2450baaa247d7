"""What players ask about battles, as typed and stored: the options of every command, and the requests they make."""

from abc import abstractmethod
from typing import Annotated, Any, Literal, Self

import discord
from pydantic import Field

from bot.answers.handler import Query
from bot.games.axis_allies.editions import Source, edition_line, saved_notes
from bot.games.axis_allies.presenter import read_setup
from sim.axis_allies.army import MAX_COUNT, Army
from sim.axis_allies.battle.opening import OpeningRequest
from sim.axis_allies.battle.values import Setup
from sim.axis_allies.calc_requests import CalcRequest, answering
from sim.axis_allies.casualties import Method
from sim.axis_allies.editions import DEFAULT, EditionName
from sim.axis_allies.odds.base_request import RoundLimit
from sim.axis_allies.parse import (
    named_edition,
    parse_army,
    parse_casualties,
    parse_question,
    parse_technology,
    parse_wave,
    swap_sides,
    technology_text,
    without_edition,
)
from sim.axis_allies.question import Question
from sim.axis_allies.requests import MAX_TERRITORY, LuckRequest, PurchaseRequest, RetreatRequest
from sim.axis_allies.wave_request import WaveCardRequest
from sim.axis_allies.withdrawal import MAX_ROUNDS, NEVER, Withdrawal
from sim.core.errors import RuleError
from sim.core.values import Side

ROUNDS_PER_PAGE = 4
MAX_ROUNDS_PER_PAGE = 10

HUNDRED = 100

_NOBODY = frozenset({"", "0", "-", "none", "nothing", "nobody", "no one"})


def parse_optional_army(text: str | None, edition: str) -> Army:
    """Read an army that may be empty: no text, or a word for nobody. TextError as in `parse_army`."""
    if text is None or without_edition(text).casefold() in _NOBODY:
        return Army(edition=edition)
    return parse_army(text, edition)


class EditionQuery(Query):
    """Base of questions about armies.

    `edition`: of texts that name none; `source`: whose edition that is, "said" if the player chose it, None for
    nobody's. `saved`: the editions of the saved armies in the texts, by their names.
    """

    edition: EditionName = DEFAULT
    source: Source | Literal["said"] | None = None
    saved: dict[str, str] = Field(default_factory=dict)

    @property
    @abstractmethod
    def texts(self) -> tuple[str, ...]:
        """The texts that may name an edition."""

    @property
    def edition_line(self) -> str:
        """The line that names the edition of the answer."""
        named = self._named
        return edition_line(named or self.edition, "said" if named else self.source)

    @property
    def saved_notes(self) -> list[str]:
        """A sentence for each saved army of another edition."""
        return saved_notes(self.saved, self._named or self.edition)

    def recent(self, text: str) -> str:
        """Return a text to offer again, with the edition that was chosen besides it."""
        return text if self.source != "said" or self._named else f"{self.edition}: {text}"

    @property
    def _named(self) -> str | None:
        return next(filter(None, map(named_edition, self.texts)), None)


def _one_battle(question: Question) -> dict[str, Any]:
    """Return the fields of a request about one battle to its end; RuleError for what it can't be asked."""
    if not question.one_battle or question.withdrawal != NEVER:
        raise RuleError("Here one attacker meets the defender: leave out waves, retreats and a counterattack.")
    return {name: value for name, value in question.fields.items() if name != "withdrawal"}


class CalcQuery(EditionQuery):
    """Options of `/aacalc`; `casualties`: None for the edition's default."""

    battle: str
    rounds: Annotated[int, Field(ge=1, le=MAX_ROUNDS_PER_PAGE)] = ROUNDS_PER_PAGE
    casualties: Method | None = None
    attacker_order: str | None = None
    defender_order: str | None = None
    stop_after: Annotated[int, Field(ge=1, le=MAX_ROUNDS)] | None = None
    retreat_below: Annotated[int, Field(ge=1, le=MAX_COUNT)] | None = None
    take_territory: bool = False
    low_luck: bool = False
    landing: Annotated[int, Field(ge=0, le=MAX_COUNT)] | None = None
    tech: str | None = None
    counter: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """The battle."""
        return (self.battle,)

    @property
    def casualty_orders(self) -> dict[Side, str | None]:
        """Both sides' explicit orders of losses, as typed."""
        return {Side.ATTACKER: self.attacker_order, Side.DEFENDER: self.defender_order}

    def question(self) -> Question:
        """Read everything typed; RuleError, TextError with the position of every mistake."""
        question = parse_question(self.battle, self.edition)
        orders = {
            f"{side}_casualties": parse_casualties(text)
            for side, text in self.casualty_orders.items()
            if text is not None
        }
        technology = {} if self.tech is None else parse_technology(self.tech, question.edition)
        technologies = {f"{side}_technology": names or None for side, names in technology.items()}
        counter = None if self.counter is None else parse_wave(without_edition(self.counter), question.edition)
        return question.with_options(
            casualties=self.casualties,
            landing=self.landing,
            stop_after=self.stop_after,
            withdrawal=None if self.retreat_below is None else Withdrawal(below=self.retreat_below),
            must_take=self.take_territory or None,
            low_luck=self.low_luck or None,
            counter=counter,
            **orders,
            **technologies,
        )

    def request(self) -> CalcRequest | WaveCardRequest:
        """Read everything typed; RuleError, TextError with the position of every mistake."""
        return answering(self.question())

    def opening(self) -> OpeningRequest:
        """Return what opens the battle with dice; RuleError for what can't be fought live, such as half a unit.

        A live battle has no end by the clock: its attacker decides when to leave. Its losses are those of the answer.
        """
        question = self.question()
        endless = question.model_copy(update={"stop_after": None, "withdrawal": NEVER})
        setup = Setup.of(endless, dict.fromkeys(Side))
        return OpeningRequest(setup=setup, stop_after=question.stop_after, withdrawal=question.withdrawal)

    def swap_sides(self) -> Self:
        """Return the query with the sides, their orders of losses and technologies swapped.

        RuleError if it can't be fought the other way round: several waves, ships that bombard, a counterattack.
        """
        if self.counter is not None or self.landing is not None:
            raise RuleError("The defender can't come by sea, nor have a counterattack: leave that out.")
        tech = self.tech
        if tech is not None:
            edition = parse_question(self.battle, self.edition).edition
            both = parse_technology(tech, edition)
            tech = technology_text({side: both[side.other] for side in Side})
        swapped = {"attacker_order": self.defender_order, "defender_order": self.attacker_order, "tech": tech}
        return self.model_copy(update={"battle": swap_sides(self.battle, self.edition), **swapped})

    def smart(self) -> Self:
        """Return the query with smart casualties on both sides."""
        return self.model_copy(update={"casualties": "smart", "attacker_order": None, "defender_order": None})


class PurchaseQuery(EditionQuery):
    """Options of `/aa need`; `chance` in percent."""

    attacker: str
    defender: str
    chance: Annotated[float, Field(gt=0, lt=HUNDRED)]
    side: Side = Side.ATTACKER
    units: str | None = None
    casualties: Method | None = None
    take_territory: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """Both armies."""
        return self.attacker, self.defender

    def request(self) -> PurchaseRequest:
        """Read both armies and what may be bought; RuleError, TextError with the position."""
        edition = self._named or self.edition
        return PurchaseRequest(
            attacker=parse_optional_army(self.attacker, edition),
            defender=parse_optional_army(self.defender, edition),
            chance=self.chance / HUNDRED,
            side=self.side,
            units=() if self.units is None else tuple(group.unit for group in parse_army(self.units, edition).groups),
            casualties=self.casualties,
            must_take=self.take_territory,
        )


class RetreatQuery(EditionQuery):
    """Options of `/aa retreat`; `territory` in IPC."""

    battle: str
    territory: Annotated[int, Field(ge=0, le=MAX_TERRITORY)] = 0
    casualties: Method | None = None
    stop_after: RoundLimit | None = None
    take_territory: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """The battle."""
        return (self.battle,)

    def request(self) -> RetreatRequest:
        """Read the battle; RuleError, TextError with every mistake and its position."""
        question = parse_question(self.battle, self.edition).with_options(
            casualties=self.casualties, stop_after=self.stop_after, must_take=self.take_territory or None
        )
        return RetreatRequest(**_one_battle(question), territory=self.territory)


class LuckQuery(EditionQuery):
    """Options of `/aa luck`."""

    battle: str
    attacker_left: str | None = None
    defender_left: str | None = None
    casualties: Method | None = None
    stop_after: RoundLimit | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """The battle."""
        return (self.battle,)

    def request(self) -> LuckRequest:
        """Read the battle and what was left; RuleError, TextError with every mistake and its position."""
        question = parse_question(self.battle, self.edition).with_options(
            casualties=self.casualties, stop_after=self.stop_after
        )
        left = {"attacker_left": self.attacker_left, "defender_left": self.defender_left}
        return LuckRequest(
            **_one_battle(question),
            **{name: parse_optional_army(text, question.edition) for name, text in left.items()},
        )


class BattleQuery(EditionQuery):
    """Options of `/aa battle`; `seats`: user ids of players, `bots`: sides that this bot plays."""

    setup: str
    seats: dict[Side, int]
    bots: tuple[Side, ...]
    casualties: str | None
    fog: bool

    @property
    def texts(self) -> tuple[str, ...]:
        """The battle."""
        return (self.setup,)

    def read(self) -> Setup:
        """Read the armies; RuleError, TextError with every mistake and its position."""
        return read_setup(self.setup, self.casualties, self.bots, fog=self.fog, default=self.edition)

    @classmethod
    def of(
        cls,
        setup: str,
        players: dict[Side, discord.User | discord.Member | None],
        this_bot: discord.ClientUser | None,
        casualties: str | None,
        *,
        fog: bool,
        known: dict[str, Any],
    ) -> "BattleQuery":
        """Return the query; RuleError for another bot as a player. `known`: the fields of an `EditionQuery`."""
        seats, bots = {}, []
        for side, player in players.items():
            if player is None:
                continue
            if player == this_bot:
                bots.append(side)
            elif player.bot:
                raise RuleError("Other bots can't fight: choose a person, this bot, or nobody.")
            else:
                seats[side] = player.id
        return cls(setup=setup, seats=seats, bots=tuple(bots), casualties=casualties, fog=fog, **known)
