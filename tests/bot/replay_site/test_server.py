"""The site at the offline table: under /replay/, on this machine alone."""

from pathlib import Path

import aiohttp

from bot.replay_site.builder import build, served


async def test_the_site_is_served_under_its_path(tmp_path: Path) -> None:
    site = build(tmp_path / "site", {"a.whl": b"wheel"}, {})
    (tmp_path / "secret").write_text("not for others")
    async with served(tmp_path / "site") as address, aiohttp.ClientSession() as browser:
        assert address.startswith("http://127.0.0.1:")
        assert address.endswith("/replay/")
        for name, data in {**site, "": site["index.html"]}.items():
            async with browser.get(address + name) as found:
                assert await found.read() == data
        async with browser.get(f"{address}%2e%2e/secret") as outside:
            assert outside.status == 404
