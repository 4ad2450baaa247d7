"""Exact odds of battles, and what is found with them: best orders, purchases, retreats, waves, luck.

A round is written where it has to be fast, and once more for each other way to count. Where a rule stands in each:

| rule | `land`, chances | `sea`, chances | `simulate`, dice | `average`, fractions |
|---|---|---|---|---|
| who may hit whom | any hit any unit | `_volley`, `_general_fire` | `_joined`, `_after` | `_Force.apply_hits` |
| surprise strikes | none | `_strikers`, `_strike` | `_opens`, `_opening_fire` | `_play_round` |
| marked losses | none | `_marked_round` | `_opening_fire` | none |
| losses in order | `army_graph.chain_of` | `army_graph.reachable_armies` | `_after` | `_Force.order` |
| dice, pair bonuses | `dice.count_dice` | the same | the same | scores alone |
| low luck | `dice.fill_in_hits` | the same | `_Thrower` | none |
| antiaircraft fire | `terms.after_antiaircraft_fire` | none | `_fire_at_planes` | none |
| bombardment | `tables.LandTables`, `engine.bombarded_before` | none | `_fight` | none |
| the end | `layout.code_of` | the same | the same | `_ending` |
| the attacker leaves | `terms.standings` | the same | the same | `_leaves` |
| what is lost without dice | `layout.unprotected` | the same | the same | none |

The battles that players fight (`sim.axis_allies.battle`) have a fifth, with its dice one by one.
"""
