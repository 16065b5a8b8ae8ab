"""The command line: one module a command in `commands/`, thin; everything heavy is imported when it is needed.

`root`               the program: exit codes, errors as messages
`models`             FILE: a model file or the name of an example
`drive_options`      options that drive a machine, shared by the commands that move it
`goal_options`       options that say where a target should be and how it should be turned
`load_options`       options that say what drives and what acts, shared by the commands that ask for forces
`rest_options`       options that say where a machine rests
`simulation_options` options of a machine that is let go; `simulation_values` what they say
`event_texts`        events as text, in `clauses`, of names that `measures` knows
`settings`           other numbers of the model, `--set`
`completion`         what the shell completes
`saved_runs`         a run instead of a motion
`option_values`      what options say: values and laws by joint name, all problems at once
`progress`           a bar on a terminal, and Ctrl-C that keeps what is done
`picture_options`    options for what is plotted and written of a run
`outputs`            files that a motion is written to
`evidence`           how far a run can be trusted
`output`             tables, problems, JSON

Exit codes: 0 sound, 1 not sound or not possible, 2 wrong use, 130 stopped by Ctrl-C. Colours only on a terminal;
`--json` for machines.
"""

from linkwork.cli.commands.animate import animate
from linkwork.cli.commands.bode import bode
from linkwork.cli.commands.cache import cache
from linkwork.cli.commands.check import check
from linkwork.cli.commands.closures import closures
from linkwork.cli.commands.equations import equations
from linkwork.cli.commands.equilibrium import equilibrium
from linkwork.cli.commands.examples import examples
from linkwork.cli.commands.forces import forces
from linkwork.cli.commands.import_robot import import_robot
from linkwork.cli.commands.linearize import linearize
from linkwork.cli.commands.mobility import mobility
from linkwork.cli.commands.modes import modes
from linkwork.cli.commands.motion import motion
from linkwork.cli.commands.new import new
from linkwork.cli.commands.reach import reach
from linkwork.cli.commands.report import report
from linkwork.cli.commands.schema import schema
from linkwork.cli.commands.show import show
from linkwork.cli.commands.simulate import simulate
from linkwork.cli.commands.statics import statics
from linkwork.cli.commands.sweep import sweep
from linkwork.cli.commands.view import view
from linkwork.cli.commands.warm import warm
from linkwork.cli.commands.workspace import workspace
from linkwork.cli.root import app, main

_QUESTIONS = (
    check,
    show,
    view,
    mobility,
    motion,
    reach,
    simulate,
    forces,
    statics,
    equilibrium,
    linearize,
    modes,
    bode,
    sweep,
)
for _command in (*_QUESTIONS, animate, closures, workspace, report, equations, new, examples, schema, cache, warm):
    app.command()(_command)
app.command("import")(import_robot)

__all__ = ["app", "main"]
