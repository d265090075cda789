"""The command `proverl`: one verb per stage, no logic.

Each verb imports what it needs when it runs, so that help and completion stay fast.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from .errors import ProverlError, UnknownServer, UsageError

AsJson = Annotated[bool, typer.Option("--json", help="print JSON")]
ServerName = Annotated[str, typer.Argument(help="a server's name, or package.module:attribute for one of your own")]
WorldSeed = Annotated[int, typer.Option("--seed", help="seed of the world")]
RunSeed = Annotated[int, typer.Option("--seed", help="seed of the run")]
TaskFile = Annotated[Path, typer.Argument(help="a file of tasks, made by `proverl synth`")]
TraceFile = Annotated[Path, typer.Argument(help="a file of traces, made by `proverl rollout`")]
TasksOption = Annotated[Path | None, typer.Option("--tasks", help="their tasks (default: tasks.jsonl near the traces)")]
Profile = Annotated[Literal["paper", "robust"], typer.Option(help="the reward profile")]

app = typer.Typer(
    help="Programmatic rewards on verified environments.", no_args_is_help=True, pretty_exceptions_enable=False
)


@app.callback()
def _verbs() -> None:
    pass


@app.command()
def serve(
    server: ServerName,
    http: Annotated[bool, typer.Option("--http", help="streamable HTTP on 127.0.0.1 instead of stdio")] = False,
    port: Annotated[int, typer.Option(help="port for --http; 0 takes a free one")] = 8321,
    seed: Annotated[int, typer.Option(help="seed of the default session")] = 0,
    strict: Annotated[bool, typer.Option("--strict", help="refuse requests that name no session")] = False,
) -> None:
    """Serve one server over MCP."""
    from .servers import load
    from .world.protocol import EXIT_UNKNOWN_SERVER

    try:
        found = load(server)
    except UnknownServer as error:
        typer.echo(f"proverl: {error}", err=True)
        raise typer.Exit(EXIT_UNKNOWN_SERVER) from None
    from .world.wire import serve_http, serve_stdio  # the SDK takes a second to import

    if http:
        serve_http(found, port=port, seed=seed, strict=strict)
    else:
        serve_stdio(found, seed=seed, strict=strict)


@app.command(name="servers")
def servers_(
    server: Annotated[str, typer.Argument(help="show the tools of this one")] = "",
    as_json: AsJson = False,
) -> None:
    """List the servers, or the tools of one."""
    from . import servers
    from .report import show

    if not server:
        found = [servers.load(name) for name in servers.names()]
        rows = [{"server": s.name, "category": s.category, "tools": len(s.tools), "about": s.about} for s in found]
        show("Servers", rows, as_json=as_json)
        return
    tools = [
        {"tool": t.name, "effect": t.effect, "required": list(t.required), "about": t.description}
        for t in servers.load(server).tools
    ]
    show(f"Tools of {server}", tools, as_json=as_json)


@app.command()
def call(
    server: ServerName,
    tool: Annotated[str, typer.Argument(help="the tool's name")],
    arguments: Annotated[list[str] | None, typer.Argument(help="name=value ..., or one JSON object")] = None,
    seed: WorldSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Call a tool once on a fresh world and print what it answers."""
    from . import servers
    from .report import outcome

    session = servers.open_session(server, seed)
    found = session.call(servers.load(server).tool(tool).name, _arguments(arguments or []))
    outcome(found, as_json=as_json)
    raise typer.Exit(0 if found.succeeded else 1)


@app.command()
def laws(
    server: ServerName,
    calls: Annotated[int, typer.Option(help="calls with generated arguments, on each world")] = 200,
    seeds: Annotated[int, typer.Option(help="worlds")] = 3,
    as_json: AsJson = False,
) -> None:
    """Check what every server must obey: atomic calls, determinism, honest annotations, declared refusals, phrases."""
    from . import servers
    from .report import show
    from .synth.phrases import read
    from .world.laws import check

    found = check(servers.load(server), seeds=range(seeds), calls=calls)
    show(f"Laws on {server}", found.rows(), as_json=as_json)
    read(servers.load(server))
    raise typer.Exit(0 if found.ok else 1)


@app.command()
def graph(
    server: ServerName,
    chains: Annotated[int, typer.Option(help="draw so many chains instead")] = 0,
    seed: RunSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Show how the tools of a server depend on each other."""
    from . import servers
    from .report import show
    from .synth.converse import Domain

    found = Domain.of(servers.load(server)).graph
    if chains:
        rows = [{"length": len(chain), "chain": list(chain)} for chain in found.chains(chains, seed)]
        show(f"Chains of {server}", rows, as_json=as_json)
        return
    show(f"Dependencies of {server}", found.rows(), as_json=as_json)


@app.command()
def sample(server: ServerName, seed: WorldSeed = 0, as_json: AsJson = False) -> None:
    """Show the real entities of a world as the sampler finds them through the tools."""
    from . import servers
    from .report import show
    from .synth.converse import Domain

    rows = Domain.of(servers.load(server)).context(seed).summary()
    show(f"Entities of {server}, seed {seed}", rows, as_json=as_json)


@app.command()
def synth(
    out: Annotated[Path, typer.Option(help="the file to write, one task a line")],
    server: Annotated[list[str] | None, typer.Option(help="a server; repeat for several (default: all)")] = None,
    count: Annotated[int, typer.Option(help="conversations")] = 100,
    seed: RunSeed = 0,
) -> None:
    """Make conversations whose every call really executes, and write them; started again it goes on where it was."""
    from . import servers
    from .report import counting
    from .synth import data

    found = [servers.load(name) for name in server or servers.names()]
    with counting("synthesise conversations", count) as advance:
        made = data.make(found, count, seed, out, advance)
    typer.echo(f"{len(made.tasks)} conversations in {out}; {len(made.failed)} jobs gave none")


@app.command(name="data")
def data_(file: TaskFile, as_json: AsJson = False) -> None:
    """Show the figures of a file of tasks."""
    from .report import show
    from .synth import data

    show(f"Tasks of {file}", data.figures(data.read(file)), as_json=as_json)


@app.command()
def replay(file: TaskFile, as_json: AsJson = False) -> None:
    """Run the ground truth of every task on a fresh session and compare every observation and the final state."""
    from . import servers
    from .report import show
    from .synth import data
    from .synth import replay as stage

    found = [stage.replay(task, servers.open_session(task.server, task.seed)) for task in data.read(file)]
    show(f"Replay of {file}", [stage.summary(found)], as_json=as_json)
    raise typer.Exit(0 if all(one.equal for one in found) else 1)


@app.command()
def rollout(
    file: TaskFile,
    out: Annotated[Path, typer.Option(help="the file of traces to write")] = Path("out/traces.jsonl"),
    policy: Annotated[str, typer.Option(help="a scripted policy")] = "",
    model: Annotated[str, typer.Option(help="a model at an OpenAI-compatible endpoint")] = "",
    base_url: Annotated[str, typer.Option(help="the endpoint's address")] = "http://localhost:8000/v1",
    stdio: Annotated[bool, typer.Option("--stdio", help="sessions in server processes over MCP")] = False,
    profile: Profile = "robust",
    as_json: AsJson = False,
) -> None:
    """Let a policy act on every task, write its traces beside the tasks, and show its rewards."""
    from .evaluate import roll_out
    from .report import show

    rows = roll_out(file, out, policy=policy, model=model, base_url=base_url, stdio=stdio, profile=profile)
    show(f"Rewards, profile {profile}", rows, as_json=as_json)


reward = typer.Typer(help="Score traces and explain scores.", no_args_is_help=True)
app.add_typer(reward, name="reward")


@reward.command(name="score")
def reward_score(
    traces: TraceFile, tasks: TasksOption = None, profile: Profile = "robust", as_json: AsJson = False
) -> None:
    """Score every trace of a file."""
    from .evaluate import score_file
    from .report import show

    show(f"Rewards of {traces}, profile {profile}", score_file(traces, tasks, profile), as_json=as_json)


@reward.command(name="explain")
def reward_explain(
    traces: TraceFile,
    tasks: TasksOption = None,
    task: Annotated[str, typer.Option(help="the task's id (default: the first trace)")] = "",
    profile: Profile = "robust",
    as_json: AsJson = False,
) -> None:
    """Show which call matched which step, which did not and why, and the points lost per term."""
    from .evaluate import pair
    from .records import dump
    from .report import console
    from .reward import explain, score

    found, trace = pair(traces, tasks, task)
    judged = score(found, trace, profile)
    if as_json:
        typer.echo(dump(judged))
    else:
        explain(found, trace, judged, console)


@app.command()
def train(
    file: Annotated[Path, typer.Option("--data", help="a file of tasks")],
    model: Annotated[
        str, typer.Option(help="a model's folder or name; `tiny` makes a small one from scratch")
    ] = "tiny",
    engine: Annotated[Literal["trl"], typer.Option(help="the training engine")] = "trl",
    steps: Annotated[int, typer.Option(help="updates")] = 350,
    out: Annotated[Path, typer.Option(help="the run's folder")] = Path("out/train"),
    profile: Profile = "robust",
    learning_rate: Annotated[float, typer.Option(help="learning rate")] = 1e-6,
    group: Annotated[int, typer.Option(help="rollouts of one task in an update")] = 16,
    batch: Annotated[int, typer.Option(help="tasks in an update")] = 16,
    seed: RunSeed = 0,
) -> None:
    """Train a policy with GRPO on live sessions."""
    from .train.run import train as run

    run(
        engine,
        file,
        model,
        out,
        steps=steps,
        profile=profile,
        learning_rate=learning_rate,
        group=group,
        batch=batch,
        seed=seed,
    )


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="the run's folder")] = Path("out/demo"),
    count: Annotated[int, typer.Option(help="conversations")] = 60,
    seed: RunSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Synthesise, replay, roll out six scripted policies and score them."""
    from .demo import demo as run

    run(out, count, seed, as_json=as_json)


def _arguments(given: list[str]) -> dict[str, Any]:
    """`name=value` pairs, each value as JSON where it is JSON, or one JSON object."""
    import json

    if len(given) == 1 and given[0].lstrip().startswith("{"):
        try:
            found = json.loads(given[0])
        except json.JSONDecodeError as error:
            raise UsageError(f"the arguments are no JSON object: {error}; got {given[0][:80]!r}") from None
        return dict(found)
    pairs = {}
    for item in given:
        name, equals, text = item.partition("=")
        if not equals:
            raise UsageError(f"{item!r} is no name=value; write for example kind=savings")
        try:
            pairs[name] = json.loads(text)
        except json.JSONDecodeError:
            pairs[name] = text
    return pairs


def main() -> None:
    """Run the command; what the user got wrong is one line on standard error, without a traceback."""
    try:
        app()
    except ProverlError as error:
        typer.echo(f"proverl: {error}", err=True)
        sys.exit(2 if isinstance(error, UsageError) else 1)


if __name__ == "__main__":
    main()
