"""Why a battle is over, as small numbers for arrays."""

GOES_ON = 0
ATTACKER = 1
"""Only the attacker is left."""
DEFENDER = 2
"""Only the defender is left."""
TIE = 3
"""Nobody is left."""
STALEMATE = 4
"""Both are left and neither can ever hit the other."""
RETREAT = 5
"""The attacker has left the battle."""
ROUND_LIMIT = 6
"""Both are left and time is up."""
