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
        "http://127.0.0.1:8080/,\nhttps://example.org",
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


@pytest.mark.parametrize(("names", "values", "sentence"), kept_table(__file__, "refused"))
def test_what_can_not_be_is_refused_in_a_sentence(names: str, values: tuple[str, ...], sentence: str) -> None:
    for name, value in product(names.split(), values):
        assert refusal(**{name: value}) == sentence.format(name=name, value=value)


def test_a_strange_value_is_shown_short_and_escaped_and_a_token_not_at_all() -> None:
    sentence = refusal(FRACAS_WORKERS="7\n\x1b[31m" + "x" * 5000)
    assert sentence.isprintable()
    assert len(sentence) < 200
    assert refusal(FRACAS_WORKERS=TOKEN) == "FRACAS_WORKERS is '[token]'; it must be a whole number from 1 to 64."


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


@pytest.mark.parametrize(("address", "shown"), kept_table(__file__, "servers"))
def test_a_server_is_shown_without_its_password(monkeypatch: pytest.MonkeyPatch, address: str, shown: str) -> None:
    monkeypatch.setenv("FRACAS_DB", address)
    db = load_settings().db
    assert isinstance(db, Server)
    assert db.url == address
    assert str(db) == shown
    assert "secret" not in repr(load_settings())


def test_the_shards_of_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRACAS_SHARDS", "8")
    for text, numbers in {"0": (0,), "0-3": (0, 1, 2, 3), " 4 , 1-2 ": (1, 2, 4), "7,0-1,1": (0, 1, 7)}.items():
        monkeypatch.setenv("FRACAS_SHARD_IDS", text)
        assert load_settings().shard_ids == numbers
    sentence = "FRACAS_SHARD_IDS names shard 8; with FRACAS_SHARDS=8 the last one is 7."
    assert refusal(FRACAS_SHARD_IDS="7-8") == sentence


def test_the_example_lists_every_setting_with_its_default_and_meaning() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    listed = {name: (meaning, default) for meaning, name, default in re.findall(r"# (.+)\n# ([A-Z_]+)=(.*)\n", text)}
    expected = {}
    for field, variable in variables().items():
        info = Settings.model_fields[field]
        expected[variable] = (info.description, "" if info.default in (None, ()) else str(info.default))
    assert listed == expected
