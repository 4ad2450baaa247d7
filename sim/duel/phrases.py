"""The texts of narrated duels and dungeons: messages, openings and closings by alignment, sites, rooms.

In an opening actor 0 is the viewpoint fighter and actor 1 the enemy; in a closing actor 0 is a survivor and actor 1 the
leader of the losers. Blank lines separate paragraphs.
"""

from collections.abc import Mapping, Sequence

from sim.core.dice import Dice
from sim.duel.critter import Alignment
from sim.duel.words import Shape, Words

STORY_SHAPE = Shape(site=True)
"""The shape of openings and closings."""

QUICK = "That didn't take long!"
"""The comment on a fight of one round."""

THE_END = "The End"

NARRATED_WORDS = Words(
    # Odd numbers: when the texts come again, duellists who take turns get each other's.
    initiative=(
        "$Name$0 rolls %d for initiative.",
        "$Name$0 is ready on a count of %d.",
        "$Name$0 sniffs the wind and acts on %d.",
        "Snow crunches: $name$0 moves on %d.",
        "$Name$0 spits on $hisHerIts$0 hands: initiative %d.",
        "A %d for $name$0, who was almost looking the right way.",
        "Initiative %d: $name$0 cracks $hisHerIts$0 knuckles.",
        "$Name$0 flips an imaginary coin. It says %d.",
        "With a %d, $name$0 decides that waiting is for winter.",
        "$Name$0 shifts $hisHerIts$0 weight and goes on %d.",
        "$Name$0 blinks the snow away: %d.",
        "A raven caws %d. That would be $name$0.",
        "$Name$0 has had breakfast and acts on %d.",
        "$Name$0 bares $hisHerIts$0 teeth: initiative %d.",
        "$Name$0 moves on %d, and not a heartbeat sooner.",
        "A %d for $name$0, and the crows lean in.",
        "$Name$0 stamps twice for warmth and goes on %d.",
        "The dice like $name$0 about this much: %d.",
        "$Name$0 counts under $hisHerIts$0 breath and gets to %d.",
    ),
    attack=(
        "$Name$0 swings at $name$1!",
        "$Name$0 charges $name$1 with a roar!",
        "$Name$0 feints left and lunges at $name$1!",
        "Steel flashes as $name$0 goes for $name$1!",
        "$Name$0 ducks low and strikes at $name$1!",
        "$Name$0 leaps at $name$1 as if there were no tomorrow!",
        "$Name$0 points behind $name$1, bellows something about a bear, and attacks!",
        "$Name$0 has a plan. It is mostly hitting $name$1!",
        "$Name$0 kicks snow at $name$1 and strikes through the cloud!",
        "$Name$0 comes at $name$1 like an avalanche with a grudge!",
        "$Name$0 circles, waits, and pounces on $name$1!",
        "$Name$0 glares at $name$1 and makes it personal!",
        "$Name$0 slides across the ice, straight at $name$1!",
        "Two steps, one breath: $name$0 is upon $name$1!",
        "$Name$0 puts everything behind one blow at $name$1!",
        "$Name$0 tries the one move that $heSheIt$0 ever practiced, right at $name$1!",
        "$Name$0 waits until $name$1 blinks, then strikes!",
        "$Name$0 is done talking and goes for $name$1!",
        "$Name$0 rushes $name$1 before anybody can suggest a truce!",
    ),
    hit=(
        "$Name$0 strikes $name$1: %d damage!",
        "That one lands: %d damage to $name$1!",
        "$Name$1 takes %d damage and staggers!",
        "Red drops in the snow: $name$0 has cut $name$1 for %d damage!",
        "$Name$0 finds a gap in the guard of $name$1: %d damage!",
        "$Name$1 hears it before $heSheIt$1 feels it: %d damage!",
        "$Name$1 will feel that in the morning, if there is one: %d damage!",
        "A fine blow! $Name$1 makes a rude noise and takes %d damage!",
        "$Name$0 connects, and even the wind winces: %d damage to $name$1!",
        "$Name$1 learns how strong $name$0 is: %d damage!",
        "Straight through the fur: %d damage to $name$1!",
        "$Name$1 blocks most of it. The rest is %d damage!",
        "$Name$0 hits $name$1 where it hurts: %d damage!",
        "Thud! $Name$1 sees stars in broad daylight: %d damage!",
        "$Name$1 zigs. $Name$0 had hoped for that: %d damage!",
        "Somewhere a grandmother is proud: $name$0 deals %d damage to $name$1!",
        "$Name$1 yelps. That was %d damage, and $hisHerIts$1 best side!",
        "$Name$0 leaves a mark on $name$1: %d damage!",
        "It sounded bad, and it was: %d damage to $name$1!",
    ),
    miss=(
        "$Name$1 sidesteps the blow!",
        "$Name$0 hits nothing but cold air!",
        "$Name$1 turns it aside!",
        "$Name$0 slips on the ice, and $heSheIt$0 misses!",
        "Only a tuft of fur comes off $name$1!",
        "$Name$0 wounds a snowdrift!",
        "It whistles past the nose of $name$1!",
        "$Name$0 misses by the width of a beard!",
        "$Name$1 isn't there any more. How rude!",
        "$Name$0 hits the ground. The ground has had worse!",
        "A sneeze saves $name$1!",
        "$Name$0 trips over $hisHerIts$0 own feet!",
        "Close, but $name$1 keeps both ears!",
        "$Name$0 swings so wide that a crow complains!",
        "$Name$1 bends like a reed. Nothing!",
        "A gust pushes $name$0 off course. A miss!",
        "$Name$0 blames the sun. There is no sun!",
        "$Name$1 ducks just in time!",
        "$Name$0 misses, and hopes that nobody saw it!",
    ),
    death=(
        "$Name$1 sinks into the snow, and $hisHerIts$1 breath no longer shows!",
        "$Name$1 falls, and the wind covers $himHerIt$1 with white!",
        "With a last look at the sky $name$1 goes down for good!",
        "$Name$1 drops to $hisHerIts$1 knees, then onto $hisHerIts$1 face: $name$0 has slain $himHerIt$1!",
        "$Name$1 has one last thing to say, and forgets it. Dead!",
        "$Name$1 goes down like a felled tree!",
        "That was the last of $name$1. The ravens have been patient!",
        "$Name$1 is off to whatever hall will have $himHerIt$1!",
        "$Name$0 waits for $name$1 to get up. $HeSheIt$1 never will!",
        "$Name$1 is dead, and looks surprised about it!",
        "Somewhere a bard crosses out the name of $name$1!",
        "$Name$1 dies. The snow will keep the secret until spring!",
        "One blow too many: $name$1 falls, and stays there!",
    ),
)
"""The words of a narrated duel."""

_FIRST_STORIES = 3
"""Openings, and closings, of each alignment in the first edition: it threw a die for one of these."""

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
        (
            "Somebody ought to see about $site$, the elders had said, and looked at their boots. So $name$0 went.\n\n"
            "What had to be seen about was $name$1, and $heSheIt$1 was at home."
        ),
        (
            "$Name$0 had promised the widow at the ford to bring back her goat. The tracks led uphill through the "
            "snow, to $site$.\n\n"
            "The goat was in excellent health. It stood behind $name$1, who was sharpening something."
        ),
        (
            "Twice $name$0 had let $name$1 off with a warning. At $site$, up to their knees in snow, they met for "
            "the third time.\n\n"
            "$Name$0 opened $hisHerIts$0 mouth for another warning, and found that $heSheIt$0 had none left."
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
        (
            "There was one bridge to $site$, as wide as one pair of shoulders. $Name$0 was halfway across when "
            "$name$1 stepped onto the other end.\n\n"
            "Both had been taught to let others go first. Neither had listened."
        ),
        (
            "$Name$0 had come to $site$ for firewood. $Name$1 had come for some quiet.\n\n"
            "The first stroke of the axe settled that they would not be friends."
        ),
        (
            "It began, as these things do, with a snowball. $Name$0 never found out who had thrown it. But there, "
            "in front of $site$, stood $name$1, and $heSheIt$1 was laughing."
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
        (
            "$Name$0 had sold the treasure of $site$ four times before it crossed $hisHerIts$0 mind to go and steal "
            "it.\n\n"
            "At the door waited $name$1, who had bought it twice."
        ),
        (
            "Somebody had nailed a sign to the gate of $site$: KEEP OUT. $Name$0 could not read, but $heSheIt$0 knew "
            "an invitation when $heSheIt$0 saw one.\n\n"
            "$Name$1 had painted it, and $heSheIt$1 was still holding the hammer."
        ),
        (
            "$Name$0 liked three things: other people's gold, other people's beer, and a good fight. $Site$ had run "
            "out of the first two.\n\n"
            "$Name$1 looked like the third."
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
        (
            "$Name$0 carves the name of $name$1 into a board, spells it wrong, sighs, and starts again. $Site$ can "
            "wait that long."
        ),
        (
            "It could have been settled over soup, $name$0 tells $name$1, who has no opinion any more. Then "
            "$heSheIt$0 squares $hisHerIts$0 shoulders and walks into $site$."
        ),
        ("$Name$0 leaves a candle burning for $name$1. It isn't much, but $site$ looks a little less dark with it."),
    ),
    Alignment.NEUTRAL: (
        (
            "$Name$0 warms $hisHerIts$0 hands, shares out $hisHerIts$0 bread for one instead of two, and goes to "
            "see what $site$ has to offer."
        ),
        ("$Name$0 takes what $name$1 has no more use for. It isn't much. With luck there is more inside $site$."),
        ("The storm dies down as if it had only wanted to watch. $Name$0 shakes the snow off and steps into $site$."),
        (
            "$Name$0 sits down on a stone, just for a moment. An hour later $heSheIt$0 wakes up under a blanket of "
            "snow, and $site$ is still there."
        ),
        (
            "That settles who was here first. $Name$0 hangs up $hisHerIts$0 wet furs in $site$ and wonders what "
            "$name$1 had wanted."
        ),
        ("Well, says $name$0 to nobody in particular, steps over $name$1, and has a look at $site$."),
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
        (
            "$Name$0 tries on the helmet of $name$1. It doesn't fit. $HeSheIt$0 keeps it anyway, and goes to see "
            "what $site$ has in $hisHerIts$0 size."
        ),
        (
            "By the time $name$0 tells it in the tavern, $name$1 will be nine feet tall. First, though, $site$ needs "
            "robbing."
        ),
        (
            "$Name$0 searches the pockets of $name$1: a button, a string, a very small fish. $HeSheIt$0 eats the "
            "fish and heads for $site$."
        ),
    ),
}


def stories(texts: Mapping[Alignment, Sequence[str]], alignment: Alignment, version: int) -> Sequence[str]:
    """Return the openings, or closings, of a version of the rules."""
    return texts[alignment][: _FIRST_STORIES if version == 1 else None]


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
    *("a cellar of barrels, all of them knocking", "a wardrobe the size of a barn"),
    *("a shrine to somebody's left boot", "a corridor of doors, all of them painted on"),
    *("a banquet hall, the soup still warm", "a map room in which every map shows this room"),
)
ROOM_DETAILS = (
    *("It smells of wet fur.", "Somebody has written RUN on the wall.", "The torches are still burning."),
    *("Old arrows lie everywhere.", "The dust on the floor is fresh trodden.", "Water drips, slower and slower."),
    *("There is a draught, and it is warm.", "A bell rings, far below.", "Icicles hang where none should be."),
    *("The echo comes back with one voice too many.", "A helmet lies there, and it isn't empty."),
    *("Bats leave in a hurry.", "Everything that shines has been taken.", "The door falls shut behind you."),
    *("Something gnaws, and stops.", "Blue moss gives enough light to wish for less."),
    *("A sign says MIND THE. The rest is missing.", "Somebody left a sandwich, and in a hurry."),
    *("It is far too tidy.", "Your own footprints are here already.", "A chair is still rocking."),
    *("Something large has scratched its back on the wall.", "The cobwebs have cobwebs."),
    *("A candle goes out, then politely on again.", "It smells of cinnamon. Nobody likes that."),
    *("Something behind the wall hums your tune.", "One of the shadows is late."),
)
_FIRST_ROOMS, _FIRST_DETAILS = 20, 16
"""How many of them the first edition threw dice for."""


def random_room(dice: Dice) -> str:
    """Return a room's description in the first edition: one die for the room, one for a detail."""
    tables = (ROOMS[:_FIRST_ROOMS], ROOM_DETAILS[:_FIRST_DETAILS])
    return room_text(*(table[dice.roll(len(table)) - 1] for table in tables))


def room_text(room: str, detail: str) -> str:
    """Return a room's description."""
    return f"{room[0].upper()}{room[1:]}. {detail}"
