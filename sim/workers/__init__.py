"""Runs jobs of the rules from asynchronous code: `await simulator.run(job, caller)`."""
