# SPDX-License-Identifier: Apache-2.0
"""Python objects that ranks tell each other.

What one rank has for others goes through the job's store, because only a rank that runs has it. What all ranks gather is this rank's, once for each.
The transfers that torch would make are made as well, with the sizes of the real ones.
"""

from __future__ import annotations

import functools
import pickle
from types import ModuleType
from typing import Any, Callable, Dict, List


def exchange(c10d: ModuleType, replace: Callable[[str, Any], None]) -> None:
    """`replace`: sets a function of torch.distributed."""
    numbers: Dict[str, int] = {}
    stores: List[Any] = []

    def next_key(name: str) -> str:
        numbers[name] = numbers.get(name, 0) + 1
        return f"strata/from/{name}/{numbers[name]}"

    def store() -> Any:
        if not stores:
            import torch.distributed

            stores.append(vars(torch.distributed)["TCPStore"]("", 0))  # of the job, whatever the address
        return stores[0]

    def write(key: str, objects: List[Any]) -> None:
        store().set(key, pickle.dumps([pickle.dumps(each) for each in objects]))

    def read(key: str, objects: List[Any], device: Any, group: Any, receive: Callable[[Any], None]) -> None:
        import torch

        pickled = pickle.loads(store().get(key))
        place = device or c10d._get_object_coll_device(group)
        for size, kind in ((len(pickled), torch.long), (sum(len(each) for each in pickled), torch.uint8)):
            receive(torch.empty(size, dtype=kind, device=place))
        objects[:] = [pickle.loads(each) for each in pickled]

    def global_rank(group: Any, rank: Any, group_rank: Any) -> int:
        return int(c10d._canonicalize_group_rank(group, rank, group_rank, return_global=True))

    def empty(size: int, kind: str, group: Any) -> Any:
        import torch

        return torch.empty(size, dtype=getattr(torch, kind), device=c10d._get_object_coll_device(group))

    def empty_parts(size: int, kind: str, group: Any) -> List[Any]:
        return list(empty(size * c10d.get_world_size(group), kind, group).split(size))

    def gather(objects: List[Any], own: Any, group: Any, transfer: Callable[[Any], None]) -> None:
        pickled = pickle.dumps(own)
        c10d.all_gather(empty_parts(1, "long", group), empty(1, "long", group), group)
        transfer(empty(len(pickled), "uint8", group))
        for rank in range(len(objects) and c10d.get_world_size(group)):
            objects[rank] = pickle.loads(pickled)

    @functools.wraps(c10d.all_gather_object)
    def all_gather_object(object_list: List[Any], obj: Any, group: Any = None) -> None:
        if not c10d._rank_not_in_group(group):
            gather(object_list, obj, group, lambda own: c10d.all_gather(empty_parts(own.numel(), "uint8", group), own, group))

    @functools.wraps(c10d.gather_object)
    def gather_object(obj: Any, object_gather_list: Any = None, dst: Any = None, group: Any = None, group_dst: Any = None) -> None:
        if c10d._rank_not_in_group(group):
            return
        known = c10d._group_or_default_group(group)
        to = global_rank(known, 0 if dst is None and group_dst is None else dst, group_dst)
        c10d._validate_output_list_for_rank(c10d.get_rank(), to, object_gather_list)

        def transfer(own: Any) -> None:
            c10d.gather(own, empty_parts(own.numel(), "uint8", known) if to == c10d.get_rank() else None, to, known)

        gather(object_gather_list or [], obj, known, transfer)

    @functools.wraps(c10d.scatter_object_list)
    def scatter_object_list(
        scatter_object_output_list: List[Any], scatter_object_input_list: Any = None, src: Any = None, group: Any = None, group_src: Any = None
    ) -> None:
        if c10d._rank_not_in_group(group):
            return
        known = c10d._group_or_default_group(group)
        root = global_rank(known, 0 if src is None and group_src is None else src, group_src)
        key = next_key(f"{root}/among/{known.group_name}")
        if root == c10d.get_rank():
            write(key, scatter_object_input_list)
        pickled = pickle.loads(store().get(key))
        c10d.broadcast(empty(1, "long", known), root, known)
        for size, kind in ((max(map(len, pickled)), "uint8"), (1, "long")):
            c10d.scatter(empty(size, kind, known), empty_parts(size, kind, known) if root == c10d.get_rank() else None, root, known)
        scatter_object_output_list[0] = pickle.loads(pickled[known.rank()])

    send, broadcast = c10d.send_object_list, c10d.broadcast_object_list

    @functools.wraps(send)
    def send_object_list(object_list: List[Any], dst: Any = None, group: Any = None, device: Any = None, group_dst: Any = None, **rest: Any) -> Any:
        if c10d._rank_not_in_group(group):
            return None
        to = global_rank(c10d._group_or_default_group(group), dst, group_dst)
        write(next_key(f"{c10d.get_rank()}/to/{to}"), object_list)
        return send(object_list, dst, group, device, group_dst, **rest)

    @functools.wraps(c10d.recv_object_list)
    def recv_object_list(
        object_list: List[Any], src: Any = None, group: Any = None, device: Any = None, group_src: Any = None, use_batch: bool = False, **_: Any
    ) -> int:
        if c10d._rank_not_in_group(group):
            return -1
        group = c10d._group_or_default_group(group)
        sender = global_rank(group, src, group_src)

        def receive(tensor: Any) -> None:
            if use_batch:
                c10d.batch_isend_irecv([c10d.P2POp(c10d.irecv, tensor, sender, group)]).pop().wait()
            else:
                c10d.recv(tensor, sender, group)

        read(next_key(f"{sender}/to/{c10d.get_rank()}"), object_list, device, group, receive)
        return sender

    @functools.wraps(broadcast)
    def broadcast_object_list(object_list: List[Any], src: Any = None, group: Any = None, device: Any = None, group_src: Any = None, **rest: Any) -> Any:
        if c10d._rank_not_in_group(group):
            return None
        known = c10d._group_or_default_group(group)
        if group_src is None and src is None:
            src = 0
        root = global_rank(known, src, group_src)
        key = next_key(f"{root}/in/{known.group_name}")
        if root == c10d.get_rank():
            write(key, object_list)
            return broadcast(object_list, src, group, device, group_src, **rest)
        read(key, object_list, device, known, lambda tensor: c10d.broadcast(tensor, root, known))
        return None

    for function in (send_object_list, recv_object_list, broadcast_object_list, all_gather_object, gather_object, scatter_object_list):
        replace(function.__name__, function)
