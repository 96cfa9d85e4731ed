# SPDX-License-Identifier: Apache-2.0
"""A Llama made from its shape, with ZeRO's stages and offload, as one rank of eight.

    strata exec --layers --dry h100-80gb --world 8 -- torchrun --nproc-per-node 8 examples/python/deepspeed_llama.py --stage 3 --offload parameters
"""

import argparse
import contextlib

import deepspeed
import torch
from transformers import LlamaConfig, LlamaForCausalLM

SHAPE = {"layers": 2, "width": 64, "feed_forward": 128, "heads": 4, "groups": 2, "vocabulary": 256, "sequence": 128}


def make_config(stage, offload, own_adam):
    host = {"device": "cpu", "pin_memory": True}
    zero = {"stage": stage, **({"offload_optimizer": host} if offload else {}), **({"offload_param": host} if offload == "parameters" else {})}
    adam = {"lr": 1e-4, **({} if own_adam else {"torch_adam": True})}
    return {"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": True}, "zero_optimization": zero, "optimizer": {"type": "AdamW", "params": adam}}


def make_model(args, config):
    heads = {"num_attention_heads": args.heads, "num_key_value_heads": args.groups, "max_position_embeddings": args.sequence}
    size = {"vocab_size": args.vocabulary, "hidden_size": args.width, "intermediate_size": args.feed_forward, "num_hidden_layers": args.layers}
    with deepspeed.zero.Init(config_dict_or_path=config) if args.stage == 3 else contextlib.nullcontext():
        model = LlamaForCausalLM(LlamaConfig(**size, **heads))
    model.gradient_checkpointing_enable()
    return model


def main():
    parser = argparse.ArgumentParser()
    for name, value in SHAPE.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--stage", type=int, default=1)
    parser.add_argument("--offload", choices=["optimizer", "parameters"], help="to the host; parameters: both")
    parser.add_argument("--local_rank", type=int, help="given by DeepSpeed's launcher")
    parser.add_argument("--own-adam", action="store_true", help="DeepSpeed's, which is compiled at its first use")
    args = parser.parse_args()
    config = make_config(args.stage, args.offload, args.own_adam)
    deepspeed.init_distributed()
    model = make_model(args, config)
    engine, _, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)
    for _ in range(3):
        tokens = torch.randint(args.vocabulary, (1, args.sequence), device=engine.device)
        engine.backward(engine(input_ids=tokens, labels=tokens, use_cache=False).loss)
        engine.step()
    print(f"rank {torch.distributed.get_rank()}: {torch.cuda.max_memory_allocated()} bytes\n", end="", flush=True)
    engine.destroy()


if __name__ == "__main__":
    main()
