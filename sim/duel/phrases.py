"""The texts of narrated duels and dungeons: messages, openings and closings by alignment, sites, rooms.

In an opening actor 0 is the viewpoint fighter and actor 1 the enemy; in a closing actor 0 is a survivor and actor 1 the
leader of the losers. Blank lines separate paragraphs.
"""

from collections.abc import Mapping

from sim.core.dice import Dice
from sim.duel.critter import Alignment
from sim.duel.words import Shape, Words

STORY_SHAPE = Shape(site=True)
"""The shape of openings and closings."""

QUICK = "That didn't take long!"
"""The comment on a fight of one round."""

THE_END = "The End"

NARRATED_WORDS = Words(
    initiative=(
        "$Name$0 rolls %d for initiative.",
        "$Name$0 is ready on a count of %d.",
        "$Name$0 counts to %d and moves.",
        "The snow crunches under $hisHerIts$0 feet: $name$0 acts on %d.",
    ),
    attack=(
        "$Name$0 swings at $name$1!",
        "$Name$0 charges $name$1 with a roar!",
        "$Name$0 feints to the left and lunges at $name$1!",
        "Steel flashes as $name$0 goes for $name$1!",
        "$Name$0 ducks low and strikes out at $name$1!",
    ),
    hit=(
        "$Name$0 strikes $name$1: %d damage!",
        "The blow lands, and %d damage tells $name$1 so!",
        "$Name$1 takes %d damage and staggers!",
        "Red drops fall in the snow: $name$0 has cut $name$1 for %d damage!",
        "$Name$0 finds a gap in the guard of $name$1: %d damage!",
    ),
    miss=(
        "$Name$1 sidesteps the blow!",
        "$Name$0 hits nothing but cold air!",
        "$Name$1 turns it aside!",
        "$Name$0 slips on the ice, and $heSheIt$0 misses!",
        "Only a tuft of fur comes off $name$1!",
    ),
    death=(
        "$Name$1 sinks into the snow, and $hisHerIts$1 breath no longer shows!",
        "$Name$1 falls, and the wind covers $himHerIt$1 with white!",
        "With a last look at the sky $name$1 goes down for good!",
        "$Name$1 drops to $hisHerIts$1 knees and then upon $hisHerIts$1 face: $name$0 has slain $himHerIt$1!",
    ),
)
"""The words of a narrated duel."""

OPENINGS: Mapping[Alignment, tuple[str, ...]] = {
    Alignment.LAWFUL: (
        (
            "Beyond the last village of the north, where even the crows wear fur, $name$0 followed a plea for "
            "help through three days of drifting snow. It led $himHerIt$0 to $site$.\n\n"
            "Somebody was there already: $name$1. $HeSheIt$1 looked up, saw an honest face and reached for "
            "$hisHerIts$1 weapon.\n\n"
            "$Name$0 sighed, for $heSheIt$0 had hoped to talk first, and threw back $hisHerIts$0 cloak."
        ),
        (
            "$Name$0 had sworn to see every wrong of the Winter Marches put right, and one was left on "
            "$hisHerIts$0 list: $name$1.\n\n"
            "At the gate of $site$, in the blue light before dawn, $heSheIt$0 found $himHerIt$1 waiting. Nobody "
            "said a word. The snow would have swallowed it anyway."
        ),
        (
            "The monks had given $name$0 a candle and told $himHerIt$0 to carry it to $site$ before it burned "
            "down. It was a stump when the walls came in sight.\n\n"
            "Then $name$1 stepped out of the drifts and blew it out."
        ),
    ),
    Alignment.NEUTRAL: (
        (
            "$Name$0 wanted no more than a dry place for the night, and $site$ still had most of its roof.\n\n"
            "So, it seemed, thought $name$1. There was room for two. There was not the mood for it."
        ),
        (
            "The map had cost $name$0 a winter's wages, and it was good: there lay $site$, black upon the white "
            "hill.\n\n"
            "The same trader had sold the same map to $name$1."
        ),
        (
            "Storms bring all kinds together. This one brought $name$0 and $name$1 to the doorstep of $site$, "
            "both half frozen, both armed, and neither of them willing to say please."
        ),
    ),
    Alignment.CHAOTIC: (
        (
            "$Name$0 had burned two farms on the way to $site$, for the warmth, and whistled as $heSheIt$0 came "
            "up the frozen path.\n\n"
            "The tune broke off. In the doorway stood $name$1, and $heSheIt$1 did not look like somebody who "
            "would step aside.\n\n"
            "$Name$0 grinned. It had been a dull week."
        ),
        (
            "They say that $name$0 once robbed the north wind and left it shivering. $HeSheIt$0 meant to do worse "
            "at $site$.\n\n"
            "But $name$1 had read the tracks in the snow and got there first. $Name$0 spat, and bared "
            "$hisHerIts$0 teeth, and ran at $himHerIt$1."
        ),
        (
            "Three ravens led $name$0 to $site$, and promised loot, and promised blood. Ravens never lie about "
            "the second.\n\n"
            "$Name$1 rose from behind the stones, snow sliding off $hisHerIts$1 shoulders."
        ),
    ),
}

CLOSINGS: Mapping[Alignment, tuple[str, ...]] = {
    Alignment.LAWFUL: (
        (
            "$Name$0 closes $hisHerIts$0 enemy's eyes, says the words that are due even to $name$1, and goes on "
            "into $site$, where somebody may still need help."
        ),
        (
            "$Name$0 wipes $hisHerIts$0 brow with a handful of snow. One wrong less. Behind the gate of $site$ "
            "wait the others."
        ),
        (
            "A cairn of stones for $name$1, a short prayer, a deep breath: then $name$0 lights a torch and goes "
            "down into $site$."
        ),
    ),
    Alignment.NEUTRAL: (
        (
            "$Name$0 warms $hisHerIts$0 hands, shares out $hisHerIts$0 bread for one instead of two, and goes to "
            "see what $site$ has to offer."
        ),
        ("$Name$0 takes what $name$1 has no more use for. It isn't much. With luck there is more inside $site$."),
        ("The storm dies down as if it had only wanted to watch. $Name$0 shakes the snow off and steps into $site$."),
    ),
    Alignment.CHAOTIC: (
        (
            "$Name$0 laughs until the icicles ring, pulls the good boots off $name$1 and tramples into $site$ to "
            "see what else is to be had."
        ),
        (
            "$Name$0 cuts another notch into $hisHerIts$0 weapon: $name$1. Then $heSheIt$0 kicks open the door of "
            "$site$."
        ),
        ("The ravens come down for $name$1. $Name$0 bows to them, and the dark of $site$ closes behind $himHerIt$0."),
    ),
}


SITE_ADJECTIVES = (
    *("Ancient", "Bitter", "Bleak", "Broken", "Buried", "Cursed", "Drowned", "Forgotten", "Forsaken", "Frozen"),
    *("Hidden", "Howling", "Moonlit", "Nameless", "Ruined", "Shattered", "Silent", "Sunken", "Weeping", "Windswept"),
)
SITE_PLACES = (
    *("Abbey", "Barrow", "Bastion", "Caverns", "Citadel", "Crypt", "Delve", "Dungeon", "Fane", "Fortress", "Halls"),
    *("Labyrinth", "Mines", "Monastery", "Pit", "Shrine", "Temple", "Tomb", "Tower", "Vaults"),
)
SITE_SECRETS = (
    *("a Hundred Candles", "Ash and Bone", "Black Ice", "Broken Oaths", "Endless Winter", "Hungry Shadows"),
    *("the Blind Oracle", "the Copper Crown", "the Crawling Dark", "the Exiled Prince", "the Frost Wyrm"),
    *("the Grey Widow", "the Hollow King", "the Last Giant", "the Mad Astronomer", "the Pale Hand", "the Red Moon"),
    *("the Sleeping Axe", "the Thirteenth Bell", "the White Wolf"),
)


def random_site(dice: Dice) -> str:
    """Return a site such as "the Sunken Abbey of Black Ice": one die for each part."""
    return "the {} {} of {}".format(
        *(part[dice.roll(len(part)) - 1] for part in (SITE_ADJECTIVES, SITE_PLACES, SITE_SECRETS))
    )


ROOMS = (
    *("a guardroom with an overturned table", "a chapel without a god", "a hall of cracked pillars"),
    *("a kitchen that something has moved into", "a cistern, half full", "a gallery of faceless statues"),
    *("a crypt with its lids pushed aside", "a library of rotten scrolls", "a forge gone cold"),
    *("a bridge over a black cleft", "a dormitory of straw and bones", "a cave where the walls drip"),
    *("a stair that winds down for too long", "a treasury, long since robbed", "a throne room full of snow"),
    *("a tunnel that a worm might have dug", "a garden of pale mushrooms", "a prison with open doors"),
    *("a well shaft with a ledge around it", "a round chamber under a hole in the sky"),
)
ROOM_DETAILS = (
    *("It smells of wet fur.", "Somebody has written RUN on the wall.", "The torches are still burning."),
    *("Old arrows lie everywhere.", "The dust on the floor is fresh trodden.", "Water drips, slower and slower."),
    *("There is a draught, and it is warm.", "A bell rings, far below.", "Icicles hang where none should be."),
    *("The echo comes back with one voice too many.", "A helmet lies there, and it isn't empty."),
    *("Bats leave in a hurry.", "Everything that shines has been taken.", "The door falls shut behind you."),
    *("Something gnaws, and stops.", "Blue moss gives enough light to wish for less."),
)


def random_room(dice: Dice) -> str:
    """Return a room's description: one die for the room, one for a detail."""
    room, detail = (table[dice.roll(len(table)) - 1] for table in (ROOMS, ROOM_DETAILS))
    return f"{room[0].upper()}{room[1:]}. {detail}"
