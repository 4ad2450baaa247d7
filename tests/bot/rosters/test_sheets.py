"""Rosters from the links of published sheets, over real connections; saved ones where one table is not enough."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from simcord import MemberActor

from bot.rosters import RosterRepository
from bot.rosters.sheets import MAX_LINK, SheetReader, is_public
from bot.store.queries import MAX_BYTES
from sim.core import RuleError
from tests.bot.battles.fights import elsewhere, outside
from tests.bot.conftest import Table, answer, buttons_of, expect_in, text_of
from tests.bot.scale.machine import CERTIFICATES
from tests.sim.marked_for_death.builders import HEADER, ORCS, RIDERS
from tests.sim.workers.waiting import LONG
from tests.tables import kept_table

HOSTS = ("sheets.example.org", "*.usercontent.example")
SHEET = "https://sheets.example.org/"


@dataclass
class Here(AbstractResolver):
    """Finds every name at a port of this machine."""

    port: int
    asked: list[str] = field(default_factory=list)

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:  # noqa: ARG002  # as its callers have it
        self.asked.append(f"{host}:{port}")
        return [ResolveResult(hostname=host, host="127.0.0.1", port=self.port, family=2, proto=0, flags=0)]

    async def close(self) -> None:
        pass


@dataclass
class Site:
    """A server of sheets by their paths, and what it was asked."""

    sheets: dict[str, str | bytes]
    names: Here = field(default_factory=lambda: Here(0))
    headers: list[dict[str, str]] = field(default_factory=list)

    def reader(self, **given: Any) -> SheetReader:  # noqa: ANN401  # arguments of all kinds
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        usual: dict[str, Any] = {"names": lambda: self.names, "check": bool, "tls": trusting, "seconds": LONG}
        return SheetReader(HOSTS, **usual | given)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.headers.append(dict(request.headers))
        name = request.path[1:]
        if name == "slow":
            await asyncio.sleep(60)
        if name == "to":
            raise web.HTTPTemporaryRedirect(request.query["url"])
        if name == "page":
            return web.Response(text="<!doctype html>", content_type="text/html")
        if name == "packed":
            return web.Response(body=b"x", headers={"Content-Encoding": "gzip"})
        if name not in self.sheets:
            raise web.HTTPNotFound
        text = self.sheets[name]
        return web.Response(body=text if isinstance(text, bytes) else text.encode(), content_type="text/csv")


@asynccontextmanager
async def site(**sheets: str | bytes) -> AsyncIterator[Site]:
    """Serve sheets over TLS."""
    found = Site(sheets)
    app = web.Application()
    app.router.add_get("/{name}", found.answer)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATES / "machine.pem", CERTIFICATES / "machine.key")
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    found.names.port = runner.addresses[0][1]
    try:
        yield found
    finally:
        await runner.cleanup()


async def test_a_sheet_is_read_also_where_its_host_leads_on_to_another_allowed_one() -> None:
    async with site(csv=b"a,b\n") as here:
        upload = await here.reader().read(f" {SHEET}to?url=https://doc-1.usercontent.example/csv ")
    assert (upload.name, upload.data) == ("Sheet at sheets.example.org", b"a,b\n")
    assert here.names.asked == ["sheets.example.org:443", "doc-1.usercontent.example:443"]
    assert not any({"Cookie", "Referer", "Authorization"} & {*sent} for sent in here.headers)


REFUSED = {
    **{link.replace("SHEET/", SHEET): why for link, why in kept_table(__file__, "refused")},
    f"{SHEET}{'x' * MAX_LINK}": "begins with https://",
}


async def test_nothing_else_is_read_and_each_reason_is_a_sentence() -> None:
    async with site(csv=b"a", large=b"x" * (MAX_BYTES + 1), svg=b" <svg>") as here:
        for link, why in REFUSED.items():
            with pytest.raises(RuleError) as refused:
                await here.reader(seconds=0.5 if link.endswith("slow") else LONG).read(link)
            assert why in str(refused.value), link
        asked = {name.partition(":")[0] for name in here.names.asked}
        assert asked == {"sheets.example.org"}, "nobody else was even looked up"
        assert (await here.reader().read(f"{SHEET}csv")).data == b"a"


async def test_a_host_at_a_private_address_or_that_is_away_or_shows_another_certificate_is_told() -> None:
    async with site(csv=b"a") as here:
        with pytest.raises(RuleError, match=r"^sheets\.example\.org has an address that isn't public"):
            await here.reader(check=is_public).read(f"{SHEET}csv")
        assert here.headers == [], "nothing was sent"
        with pytest.raises(RuleError, match=r"can't be read from sheets\.example\.org now"):
            await here.reader(tls=True).read(f"{SHEET}csv")
    with pytest.raises(RuleError, match=r"can't be read from sheets\.example\.org now"):
        await here.reader().read(f"{SHEET}csv")
    with pytest.raises(RuleError, match="doesn't read sheets"):
        await SheetReader().read(f"{SHEET}csv")


@pytest.mark.parametrize(("address", "public"), kept_table(__file__, "public"))
def test_public_addresses(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.usefixtures("fixed_dice")
async def test_a_battle_remembers_its_sheets_for_the_next_round(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(heroes=RIDERS, villains=ORCS) as here:
        monkeypatch.setitem(table.bot.services, SheetReader, here.reader())
        sides = {"heroes_saved": f"{SHEET}heroes", "villains_saved": f"{SHEET}villains"}
        panel = answer(await table.ann.slash(table.channel, "mfd start", **sides))
        here.sheets["heroes"] = f"{HEADER}\nTroll,9000,,4,,,,,\n"
        where = await table.pressed(panel, "Change a roster")
        assert buttons_of(where) == ["Read the heroes' sheet again", "Read the villains' sheet again", "Somewhere else"]
        change = await table.pressed(where, "Read the heroes' sheet again")
        expect_in(text_of(change), "Heroes: 1 roster change", "Troll")
        await table.press(change, "Add them")
        assert "Troll" in text_of(panel)
        again = await table.run("mfd change", side="villains")
        expect_in(text_of(again), "Villains: nothing changes")
        saved = await table.run("roster save", name="Trolls", kind="mfd", text=f"{SHEET}heroes")
        expect_in(text_of(saved), "Trolls", "1 fighter")


async def roster(table: Table, what: str, name: str, *, by: MemberActor | None = None) -> str:
    message = await table.run(f"roster {what}", by=by, name=name)
    assert message.ephemeral
    return text_of(message)


async def test_a_roster_is_shared_with_one_server_at_a_time_and_never_in_direct_messages(table: Table) -> None:
    await table.run("roster save", name="Fleet", kind="aa", text="6 tanks")
    await roster(table, "share", "Fleet")
    user = outside(table)
    channel, ann = elsewhere(table, user)
    there = ann.guild.add_member(table.env.create_user("cleo"))
    text = text_of(answer(await ann.slash(channel, "roster share", name="Fleet")))
    assert text.endswith("The server it was shared with can't use it any more.")
    assert text_of(answer(await there.slash(channel, "roster show", name="Fleet"))).startswith("### Fleet\n")
    assert "no saved roster" in await roster(table, "show", "Fleet", by=table.ben)
    expect_in(text_of(answer(await user.slash("roster share", name="Fleet"))), "⚠️", "shared with a server")


async def test_many_rosters_and_versions_stay_within_a_message(table: Table) -> None:
    rosters = table.bot.services[RosterRepository]
    for number in range(50):
        await rosters.save(table.ann.id, "aa", f"{number} {'*' * 37}", b"6 tanks")
    for number in range(20):
        await rosters.save(table.ann.id, "aa", f"0 {'*' * 37}", f"{number} tanks".encode())
    listed = text_of(await table.run("roster list"))
    assert listed.startswith("### 50 saved rosters of yours\n")
    assert "more lines" in listed.splitlines()[-1]
    assert len(await table.ann.autocomplete(table.channel, "roster show", "name", "*")) == 25
    (first,) = [saved for saved in await rosters.own(table.ann.id) if saved.name.startswith("0 ")]
    assert (await roster(table, "show", f"#{first.id}")).splitlines()[-1].startswith("2. <t:")
