"""Scripted synthesis: conversations a second on all servers, made, replayed and compared.

The peer in the same run is the ground truth's own calls, executed once: how many times that cost the whole synthesis
(sampling, trying goals, proving dependencies, replaying) takes.
"""

from time import process_time

from proverl import servers
from proverl.synth import data

COUNT = 120


def main() -> None:
    """Print the figures."""
    found = [servers.load(name) for name in servers.names()]
    data.synthesise(found, 3, seed=1)
    start = process_time()
    made = data.synthesise(found, COUNT, seed=0)
    whole = process_time() - start
    start = process_time()
    for task in made.tasks:
        session = servers.open_session(task.server, task.seed)
        for step in task.steps:
            session.call(step.tool, step.arguments)
        session.close()
    bare = process_time() - start
    steps = sum(len(task.steps) for task in made.tasks)
    print(f"synthesised and replayed      {COUNT / whole:8.1f} conversations/s of CPU   (target 20)")
    print(f"the same {steps} calls alone    {COUNT / bare:8.1f} conversations/s of CPU")
    print(f"synthesis costs               {whole / bare:8.1f} times the calls of the ground truth")


if __name__ == "__main__":
    main()
