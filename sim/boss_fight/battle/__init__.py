"""A party's fight against a boss: values, rules, log."""
