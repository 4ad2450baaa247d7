"""The services of one bot, found by their types."""

from typing import TypeVar, cast

T = TypeVar("T")


class NameTakenError(Exception):
    """Two games want the same name; `name` says which, such as "a kind of roster 'aa'"."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there already is {name}")
        self.name = name


class Services:
    """A registry keyed by type: `services[BattleService]` is the bot's battle service.

    The composition root and the games put services in; handlers, which know only an interaction, take them out. So no
    layer has to know the layers above it, and a game brings repositories of its own.
    """

    def __init__(self) -> None:
        self._by_type: dict[type[object], object] = {}

    def add(self, service: T) -> T:
        """Register a service under its type and return it; ValueError if there already is one."""
        if type(service) in self._by_type:
            raise ValueError(f"two services of the type {type(service).__name__}")
        self._by_type[type(service)] = service
        return service

    def __getitem__(self, kind: type[T]) -> T:
        """Return the service of a type; KeyError if nobody registered one."""
        return cast("T", self._by_type[kind])
