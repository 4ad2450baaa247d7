import re
from itertools import product
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.config import BEACON_HOSTS, SHEET_HOSTS, Server, Settings, SettingsError, load_settings, variables
from tests.tables import kept_table

pytestmark = pytest.mark.usefixtures("clean")

DSN = "https://abc123@sentry.example.org/42"
TOKEN = ".".join(("MTA" + "a" * 21, "Gabc-_", "s" * 38))
EXAMPLE = Path(__file__).parents[2] / ".env.example"


def refusal(**environment: str) -> str:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        with pytest.raises(SettingsError) as caught:
            load_settings()
    return str(caught.value)


SETTINGS: dict[str, tuple[object, str, object]] = {
    "discord_token": (None, TOKEN, TOKEN),
    "db": (Path("fracas.db"), "data/kept.db", Path("data/kept.db")),
    "log_format": ("text", "JSON", "json"),
    "log_level": ("INFO", "warning", "WARNING"),
    "health_port": (None, "8080", 8080),
    "health_host": ("127.0.0.1", "0.0.0.0", "0.0.0.0"),  # noqa: S104  # what a container sets
    "sentry_dsn": (None, DSN, DSN),
    "workers": (2, "64", 64),
    "job_seconds": (5.0, "0.5", 0.5),
    "job_memory_mib": (2048, "256", 256),
    "cluster": (None, "tls://10.0.0.5:8786", "tls://10.0.0.5:8786"),
    "cluster_ca": (None, "ca.pem", Path("ca.pem")),
    "cluster_cert": (None, "bot.pem", Path("bot.pem")),
    "cluster_key": (None, "bot.key", Path("bot.key")),
    "shards": (None, "3", 3),
    "shard_ids": (None, "0, 2", (0, 2)),
    "copy_days": (7, "0", 0),
    "backup_dir": (None, "/var/backups", Path("/var/backups")),
    "backup_hours": (6, "24", 24),
    "privacy_url": (None, "https://example.org/privacy?of=fracas", "https://example.org/privacy?of=fracas"),
    "terms_url": (None, "https://example.org/terms", "https://example.org/terms"),
    "beacon": (
        BEACON_HOSTS,
        "http://127.0.0.1:8080/, https://example.org",
        ("http://127.0.0.1:8080", "https://example.org"),
    ),
    "replay_url": (None, "https://example.org/replay/", "https://example.org/replay/"),
    "sheet_hosts": (SHEET_HOSTS, "Sheets.example.org, *.example.com", ("sheets.example.org", "*.example.com")),
}
"""Of each setting the default, a text, and what that means."""


@pytest.mark.parametrize("blank", [None, "", "   ", "\t"])
def test_nothing_set_or_blank_gives_the_defaults(monkeypatch: pytest.MonkeyPatch, blank: str | None) -> None:
    if blank is not None:
        for name in variables().values():
            monkeypatch.setenv(name, blank)
    Path(".env").write_bytes(EXAMPLE.read_bytes())  # which sets nothing as it stands
    assert load_settings().model_dump() == {name: default for name, (default, _, _) in SETTINGS.items()}


def test_every_variable_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [*SETTINGS] == [*variables()]
    for name, (_, text, _) in SETTINGS.items():
        monkeypatch.setenv(variables()[name], text)
    found = load_settings().model_dump()
    for name, (_, _, meaning) in SETTINGS.items():
        value = found[name]
        assert (value.get_secret_value() if isinstance(value, SecretStr) else value) == meaning, name


def test_the_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text(f"DISCORD_TOKEN={TOKEN}\nFRACAS_WORKERS=3\nFRACAS_JOB_SECONDS=7\nOTHER=x\n")
    monkeypatch.setenv("FRACAS_WORKERS", "4")
    settings = load_settings()
    assert (settings.workers, settings.job_seconds) == (4, 7.0)
    assert settings.discord_token is not None
    monkeypatch.setenv("DISCORD_TOKEN", "")
    assert load_settings().discord_token is None, "an empty variable hides the one of the file"


def test_a_file_from_windows_is_read() -> None:
    Path(".env").write_bytes("FRACAS_WORKERS=9\r\nFRACAS_LOG_LEVEL=ERROR\r\n".encode("utf-8-sig"))
    settings = load_settings()
    assert (settings.workers, settings.log_level) == (9, "ERROR")


def test_a_file_that_is_no_text_is_refused() -> None:
    Path(".env").write_bytes(b"FRACAS_WORKERS=\xff\xfe\n")
    with pytest.raises(SettingsError, match=r"^The file \.env can't be read; .* UTF-8 .*\.$"):
        load_settings()


@pytest.mark.parametrize(("names", "values", "allowed"), kept_table(__file__, "refused"))
def test_a_bad_value_is_refused_in_one_sentence(names: str, values: tuple[str, ...], allowed: str) -> None:
    for name, value in product(names.split(), values):
        said = refusal(**{f"FRACAS_{name}": value})
        assert said == f"FRACAS_{name} is '{value}'; it must be {allowed}."


@pytest.mark.parametrize(("name", "lowest", "highest"), [("workers", 1, 64), ("health_port", 1, 65535)])
def test_both_ends_are_allowed(monkeypatch: pytest.MonkeyPatch, name: str, lowest: int, highest: int) -> None:
    for value in (lowest, highest):
        monkeypatch.setenv(variables()[name], str(value))
        assert getattr(load_settings(), name) == value


def test_a_long_or_strange_value_is_shown_short_and_escaped() -> None:
    sentence = refusal(FRACAS_WORKERS="7\n\x1b[31m" + "x" * 5000)
    assert sentence.isprintable()
    assert len(sentence) < 200


@pytest.mark.parametrize(("unknown", "meant"), kept_table(__file__, "nearest"))
def test_an_unknown_variable_is_refused_with_the_nearest_known(unknown: str, meant: str) -> None:
    assert refusal(**{unknown: "1"}) == f"{unknown} is not a setting of Fracas; did you mean {meant}?"


def test_an_unknown_variable_of_the_file_is_refused() -> None:
    Path(".env").write_text("FRACAS_WORKRES=3\n")
    with pytest.raises(SettingsError, match=r"^FRACAS_WORKRES is not .* did you mean FRACAS_WORKERS"):
        load_settings()


def test_the_token_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", f" {TOKEN}\n")
    settings = load_settings()
    assert settings.discord_token is not None
    assert settings.discord_token.get_secret_value() == TOKEN
    for text in (repr(settings), str(settings), settings.model_dump_json(), f"{settings!r:>9}"):
        assert "sss" not in text


@pytest.mark.parametrize("bad", ["two words", "line\nbreak", "tökén"])
def test_a_bad_token_is_refused_unshown(monkeypatch: pytest.MonkeyPatch, bad: str) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", bad)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert str(caught.value).startswith("DISCORD_TOKEN is unusable (its value is not shown); it must be a token:")
    assert bad not in str(caught.value)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def test_not_even_pydantics_own_error_shows_a_bad_token() -> None:
    with pytest.raises(ValueError, match="validation error") as caught:
        Settings.model_validate({"discord_token": "two words"})
    assert "words" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://bot:secret@db.example.org:5432/fracas", "postgresql://bot@db.example.org:5432/fracas"),
        ("postgres://bot:se@cr/et?x@localhost/fracas", "postgres://bot@localhost/fracas"),
        ("postgresql:///fracas?user=bot&password=secret&host=/run/pg", None),
        ("postgresql://localhost/fracas", "postgresql://localhost/fracas"),
    ],
)
def test_a_server_is_shown_without_its_password(monkeypatch: pytest.MonkeyPatch, address: str, shown: str) -> None:
    monkeypatch.setenv("FRACAS_DB", address)
    db = load_settings().db
    assert isinstance(db, Server)
    assert db.url == address
    assert str(db) == (shown or "postgresql:///fracas?user=bot&password=…&host=/run/pg")
    assert "secret" not in repr(load_settings())


@pytest.mark.parametrize(
    ("text", "numbers"), [("0", (0,)), ("0-3", (0, 1, 2, 3)), (" 4 , 1-2 ", (1, 2, 4)), ("7,0-1,1", (0, 1, 7))]
)
def test_the_shards_of_a_process(monkeypatch: pytest.MonkeyPatch, text: str, numbers: tuple[int, ...]) -> None:
    monkeypatch.setenv("FRACAS_SHARDS", "8")
    monkeypatch.setenv("FRACAS_SHARD_IDS", text)
    assert load_settings().shard_ids == numbers


NO_DSN = "unusable (its value is not shown); it must be a Sentry DSN, such as https://KEY@sentry.example.org/1."
REFUSED: list[tuple[dict[str, str], str]] = [
    ({"FRACAS_DB": "a\nb"}, "FRACAS_DB is 'a\\nb'; it must be the path of a file, without control characters."),
    ({"FRACAS_XQZ": "1"}, "FRACAS_XQZ is not a setting of Fracas; .env.example lists them all."),
    ({"FRACAS_WORKERS": TOKEN}, "FRACAS_WORKERS is '[token]'; it must be a whole number from 1 to 64."),
    *(
        ({"FRACAS_SENTRY_DSN": bad}, f"FRACAS_SENTRY_DSN is {NO_DSN}")
        for bad in ("sentry.io", "https://sentry.io/1", "https://key@sentry.io/", "https://a@b/x")
    ),
    *(
        (
            {"FRACAS_SHARDS": "8", "FRACAS_SHARD_IDS": text},
            f"FRACAS_SHARD_IDS is {text!r}; it must be numbers of shards from 0 on, such as 0-3 or 0,4.",
        )
        for text in ("-1", "a", "3-1", "1,,2", "0x1", "1;2", "1-2-3")
    ),
    ({"FRACAS_SHARD_IDS": "0"}, "FRACAS_SHARD_IDS needs FRACAS_SHARDS: the same number for every process."),
    (
        {"FRACAS_SHARDS": "3", "FRACAS_SHARD_IDS": "1-3"},
        "FRACAS_SHARD_IDS names shard 3; with FRACAS_SHARDS=3 the last one is 2.",
    ),
]


@pytest.mark.parametrize(("environment", "sentence"), REFUSED)
def test_what_can_not_be_is_refused_in_a_sentence(environment: dict[str, str], sentence: str) -> None:
    assert refusal(**environment) == sentence


def test_the_example_lists_every_setting_with_its_default_and_meaning() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    listed = {name: (meaning, default) for meaning, name, default in re.findall(r"# (.+)\n# ([A-Z_]+)=(.*)\n", text)}
    expected = {}
    for field, variable in variables().items():
        info = Settings.model_fields[field]
        expected[variable] = (info.description, "" if info.default in (None, ()) else str(info.default))
    assert listed == expected
