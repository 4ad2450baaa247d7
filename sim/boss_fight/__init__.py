"""Boss fights: a party with decks of tokens against one boss (.docs/rules/boss_fight.md, "What fights")."""
