"""What rooms look like, put together from a place and something to notice there."""

from sim.core.dice import Dice

PLACES = (
    *("a guardroom with an overturned table", "a chapel without a god", "a hall of cracked pillars"),
    *("a kitchen that something has moved into", "a cistern, half full", "a gallery of faceless statues"),
    *("a crypt with its lids pushed aside", "a library of rotten scrolls", "a forge gone cold"),
    *("a bridge over a black cleft", "a dormitory of straw and bones", "a cave where the walls drip"),
    *("a stair that winds down for too long", "a treasury, long since robbed", "a throne room full of snow"),
    *("a tunnel that a worm might have dug", "a garden of pale mushrooms", "a prison with open doors"),
    *("a well shaft with a ledge around it", "a round chamber under a hole in the sky"),
)
SIGNS = (
    *("It smells of wet fur.", "Somebody has written RUN on the wall.", "The torches are still burning."),
    *("Old arrows lie everywhere.", "The dust on the floor is fresh trodden.", "Water drips, slower and slower."),
    *("There is a draught, and it is warm.", "A bell rings, far below.", "Icicles hang where none should be."),
    *("The echo comes back with one voice too many.", "A helmet lies there, and it isn't empty."),
    *("Bats leave in a hurry.", "Everything that shines has been taken.", "The door falls shut behind you."),
    *("Something gnaws, and stops.", "Blue moss gives enough light to wish for less."),
)


def random_room(dice: Dice) -> str:
    """Return a room's description: one die for the place, one for what is to be noticed."""
    place, sign = (table[dice.roll(len(table)) - 1] for table in (PLACES, SIGNS))
    return f"{place[0].upper()}{place[1:]}. {sign}"
