# SPDX-License-Identifier: Apache-2.0
"""Each step's memory in W&B, TensorBoard and MLflow, read back with their readers: the same numbers
as the run's summary."""

import time

import pytest

import logged_metrics
import strata_profiler as strata
from strata_profiler import memory_log
from test_python_integrations import LIGHTNING, TRANSFORMERS
from training_programs import BEGIN

SERVERLESS = {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "MLFLOW_ALLOW_FILE_STORE": "true", "MLFLOW_TRACKING_URI": "mlruns", "GIT_PYTHON_REFRESH": "quiet"}

BY_HAND = (
    BEGIN
    + """
import mlflow, wandb
from torch.utils.tensorboard import SummaryWriter
from strata_profiler import memory_log
memory_log._LEAST_PAUSE_S, memory_log._PAUSES_PER_LOOK = 0, 0
wandb.init(project="tests")
writer = SummaryWriter("events")
with mlflow.start_run():
    logs = [strata.integrations.wandb.MemoryLog(), strata.integrations.tensorboard.MemoryLog(writer), strata.integrations.mlflow.MemoryLog()]
    model, optimizer = make()
    strata.attach(model, optimizer)
    for index in range(5):
        train(model, optimizer, *batch())
        strata.step()
        wandb.log({"loss": 1.0}, step=index)
        for log in logs:
            log.update()
    for log in logs:
        log.close()
writer.close()
wandb.finish()
"""
)


def all_that_was_logged(folder, events):
    return {
        "wandb": logged_metrics.in_wandb(folder),
        "tensorboard": logged_metrics.in_tensorboard(folder / events),
        "mlflow": logged_metrics.in_mlflow(folder / "mlruns"),
    }


def test_each_logger_has_the_numbers_of_the_summary(programs):
    programs.write("by_hand.py", BY_HAND)
    programs.exec("by_hand.py", options=("--dry", "a100-40gb"), **SERVERLESS)
    wanted = logged_metrics.of_summary(programs.summary())
    assert set(wanted["strata/peak_mib"]) == {0, 1, 2, 3, 4}
    for logger, found in all_that_was_logged(programs.folder, "events").items():
        assert set(found) == set(wanted), logger
        for name, values in wanted.items():
            assert found[name] == pytest.approx(values, rel=1e-6), (logger, name)
    assert logged_metrics.axes_in_wandb(programs.folder)["strata/*"] == "strata/step"
    assert logged_metrics.losses_in_wandb(programs.folder) == 5, "no row of the program's own is dropped"


class Kept(memory_log.MemoryLog):
    """Keeps what is logged."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.calls = []

    def write(self, steps):
        self.calls.append(steps)


def train(strata_run, steps, after_each):
    import torch

    with strata_run as run:
        model = torch.nn.Linear(64, 64)
        optimizer = torch.optim.AdamW(model.parameters())
        strata.attach(model, optimizer)
        log = Kept()
        for _ in range(steps):
            model(torch.randn(8, 64)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            strata.step()
            after_each(log)
        log.close()
    return run.directory, log


def finish_look(log):
    time.sleep(0.25)  # new rows arrive meanwhile
    log.update()
    if log._look is not None:
        log._look.result()


def test_while_the_run_goes_on_each_step_is_logged_once_and_as_it_ends_up(tmp_path, monkeypatch):
    monkeypatch.setattr(memory_log, "_LEAST_PAUSE_S", 0)
    monkeypatch.setattr(memory_log, "_PAUSES_PER_LOOK", 0)
    folder, log = train(strata.run(tmp_path / "run", quiet=True), 8, finish_look)
    steps = [step for call in log.calls for step, _ in call]
    assert steps == list(range(8)) and len(log.calls) >= 2, "some before the end, and each once"
    wanted = logged_metrics.of_summary(strata.open(folder).summary)
    assert {name: {step: metrics[name] for call in log.calls for step, metrics in call} for name in wanted} == wanted


def test_pauses_are_longer_than_looks(tmp_path):
    """A run of a few seconds is read only once, at its end."""
    folder, log = train(strata.run(tmp_path / "run", quiet=True), 3, lambda log: log.update())
    assert [step for step, _ in log.calls[0]] == [0, 1, 2] and len(log.calls) == 1
    recorded = Kept(folder)
    recorded.update()
    recorded.close()
    assert recorded.calls == log.calls, "a run that has ended is logged the same"


def test_where_nothing_records_nothing_is_logged():
    with Kept() as log:
        log.update()
    assert log.calls == []


def test_what_is_no_run_is_said(tmp_path, capsys):
    with Kept(tmp_path) as log:
        pass
    assert log.calls == [] and "memory is no longer logged" in capsys.readouterr().err


WITHOUT_A_RUN = """
import strata_profiler as strata
for library in (strata.integrations.wandb, strata.integrations.mlflow):
    try:
        library.MemoryLog()
    except RuntimeError as error:
        print(error)
"""
RANKS = (
    BEGIN
    + """
import os
from strata_profiler import memory_log
rank = int(os.environ["RANK"])
class Told(memory_log.MemoryLog):
    def write(self, steps):
        told = (f"{rank}/{index}/{metrics['strata/Parameter_mib'] * 2**20:.0f} " for index, metrics in steps)
        os.write(1, "".join(told).encode())  # at once: ranks share a pipe
model = torch.nn.Linear(64, 64 * (1 + rank), bias=False)
optimizer = torch.optim.AdamW(model.parameters())
strata.attach(model, optimizer)
with Told() as log:
    for _ in range(2):
        model(torch.randn(8, 64)).sum().backward()
        optimizer.step()
        strata.step()
        log.update()
"""
)


@pytest.mark.long
def test_without_a_run_of_the_loggers_it_is_said_what_to_do(programs):
    done = programs.python("-c", WITHOUT_A_RUN, **SERVERLESS)
    assert "call wandb.init()" in done.stdout and "call mlflow.start_run()" in done.stdout, done.stderr


@pytest.mark.long
def test_each_rank_logs_its_own_memory(programs):
    programs.write("ranks.py", RANKS)
    done = programs.exec("-m", "torch.distributed.run", "--nproc-per-node", "2", "ranks.py")
    assert set(done.stdout.split()) == {"0/0/16384", "0/1/16384", "1/0/32768", "1/1/32768"}


@pytest.mark.long
def test_the_transformers_callback_logs_where_the_trainer_reports(programs):
    text = TRANSFORMERS.replace("report_to=[]", 'report_to=["wandb", "tensorboard", "mlflow"]').replace("StrataCallback()", "StrataCallback(log=True)")
    programs.write("reports.py", text)
    done = programs.exec("reports.py", "callback", TENSORBOARD_LOGGING_DIR="events", **SERVERLESS)
    assert "memory is no longer logged" not in done.stderr
    wanted = logged_metrics.of_summary(programs.summary())
    assert set(wanted["strata/peak_mib"]) == {0, 1, 2}
    for logger, found in all_that_was_logged(programs.folder, "events").items():
        for name, values in wanted.items():
            assert found[name] == pytest.approx(values, rel=1e-6), (logger, name)


@pytest.mark.long
def test_the_lightning_callback_logs_to_the_trainers_loggers(programs):
    loggers = 'logger=[lightning.pytorch.loggers.TensorBoardLogger(".", "", "events"), lightning.pytorch.loggers.CSVLogger(".", "", "rows")]'
    programs.write("reports.py", LIGHTNING.replace("logger=False", loggers).replace("StrataCallback()", "StrataCallback(log=True)"))
    programs.exec("reports.py", "callback")
    wanted = logged_metrics.of_summary(programs.summary())
    assert set(wanted["strata/peak_mib"]) == {0, 1, 2}
    found = logged_metrics.in_tensorboard(programs.folder / "events")
    assert {name: found[name] == pytest.approx(values, rel=1e-6) for name, values in wanted.items()} == dict.fromkeys(wanted, True)
    assert "strata/peak_mib" in (programs.folder / "rows/metrics.csv").read_text()
