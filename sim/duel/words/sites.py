"""Adventure sites, made of three parts each."""

from sim.core.dice import Dice

KINDS = (
    *("Ancient", "Bitter", "Bleak", "Broken", "Buried", "Cursed", "Drowned", "Forgotten", "Forsaken", "Frozen"),
    *("Hidden", "Howling", "Moonlit", "Nameless", "Ruined", "Shattered", "Silent", "Sunken", "Weeping", "Windswept"),
)
PLACES = (
    *("Abbey", "Barrow", "Bastion", "Caverns", "Citadel", "Crypt", "Delve", "Dungeon", "Fane", "Fortress", "Halls"),
    *("Labyrinth", "Mines", "Monastery", "Pit", "Shrine", "Temple", "Tomb", "Tower", "Vaults"),
)
SECRETS = (
    *("a Hundred Candles", "Ash and Bone", "Black Ice", "Broken Oaths", "Endless Winter", "Hungry Shadows"),
    *("the Blind Oracle", "the Copper Crown", "the Crawling Dark", "the Exiled Prince", "the Frost Wyrm"),
    *("the Grey Widow", "the Hollow King", "the Last Giant", "the Mad Astronomer", "the Pale Hand", "the Red Moon"),
    *("the Sleeping Axe", "the Thirteenth Bell", "the White Wolf"),
)


def random_site(dice: Dice) -> str:
    """Return a site with its article, such as "the Sunken Abbey of Black Ice": one die for each part."""
    return "the {} {} of {}".format(*(part[dice.roll(len(part)) - 1] for part in (KINDS, PLACES, SECRETS)))
