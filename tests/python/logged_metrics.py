# SPDX-License-Identifier: Apache-2.0
"""Read the logged metrics with the loggers' own readers: {metric: {step: value}}."""

import collections
import json
import os
import struct


def wandb_records(folder):
    """Yield the records of the only offline run below a folder. Its file is a log in LevelDB's
    format after seven bytes, with a protobuf in each record."""
    from wandb.proto.wandb_internal_pb2 import Record

    (file,) = folder.glob("wandb/offline-run-*/run-*.wandb")
    data, at, record = file.read_bytes(), 7, b""
    while at + 7 <= len(data):
        if 32768 - at % 32768 < 7:  # no header spans two blocks
            at += 32768 - at % 32768
            continue
        length, kind = struct.unpack_from("<HB", data, at + 4)
        record += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # a whole record, or its last piece
            yield Record.FromString(record)
            record = b""


def in_wandb(folder):
    found = collections.defaultdict(dict)
    for record in wandb_records(folder):
        row = {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in record.history.item}
        if "strata/step" in row:
            for name, value in row.items():
                found[name][row["strata/step"]] = value
    return only_ours(found, but=("strata/step",))


def axes_in_wandb(folder):
    """Return the axis of each metric."""
    metrics = [record.metric for record in wandb_records(folder)]
    return {metric.name or metric.glob_name: metric.step_metric for metric in metrics if metric.name or metric.glob_name}


def losses_in_wandb(folder):
    return sum(item.key == "loss" or "loss" in item.nested_key for record in wandb_records(folder) for item in record.history.item)


def in_tensorboard(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()
    return only_ours({tag: {event.step: event.value for event in events.Scalars(tag)} for tag in events.Tags()["scalars"]})


def in_mlflow(folder):
    """Read the newest run of a file store."""
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=folder.as_uri())
    (run,) = client.search_runs([experiment.experiment_id for experiment in client.search_experiments()])
    names = [name for name in run.data.metrics if name.startswith("strata/")]
    return {name: {metric.step: metric.value for metric in client.get_metric_history(run.info.run_id, name)} for name in names}


def only_ours(metrics, but=()):
    return {name: values for name, values in metrics.items() if name.startswith("strata/") and name not in but}


def of_summary(summary):
    """Return what must be logged for a run."""
    wanted = collections.defaultdict(dict)
    for step in summary["steps"]:
        sizes = {"peak": step["peak_allocated_bytes"], "reserved": step["peak_reserved_bytes"], **step["peak_categories"]}
        for name, size in sizes.items():
            wanted[f"strata/{name}_mib"][step["index"]] = size / (1 << 20)
    return dict(wanted)
