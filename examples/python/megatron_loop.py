# SPDX-License-Identifier: Apache-2.0
"""Megatron Core's GPT with tensor, sequence, pipeline and expert parallelism and its distributed optimizer, as one rank of eight.

    strata exec --layers --dry h100-80gb --world 8 -- torchrun --nproc-per-node 8 examples/python/megatron_loop.py --tensor 2
    strata exec --layers --dry h100-80gb --world 8 --ranks representative -- torchrun --nproc-per-node 8 examples/python/megatron_loop.py --pipeline 2
    strata exec --layers --dry h100-80gb --world 8 -- torchrun --nproc-per-node 8 examples/python/megatron_loop.py --experts 16 --expert_ranks 4
"""

import argparse
import os

import torch
from megatron.core import parallel_state
from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig, finalize_model_grads
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
from megatron.core.models.gpt.gpt_model import GPTModel
from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
from megatron.core.pipeline_parallel import get_forward_backward_func
from megatron.core.tensor_parallel.random import model_parallel_cuda_manual_seed
from megatron.core.transformer import TransformerConfig
from megatron.core.transformer.moe import moe_utils
from megatron.core.transformer.transformer_block import TransformerBlockSubmodules, get_num_layers_to_build

moe_utils.__dict__.setdefault("te_general_gemm", None)  # 0.16.1 reads it, but sets it only with Transformer Engine
ONE = {"layers": 2, "hidden": 64, "ffn": 128, "heads": 4, "groups": 2, "vocabulary": 256, "sequence": 128, "microbatches": 2, "tensor": 1, "pipeline": 1, "experts": 0, "expert_ranks": 1}


class Norm(torch.nn.RMSNorm):
    """torch's, whose weight Megatron sums over a sequence's parts; its own are CUDA extensions."""

    def __init__(self, config, hidden_size, eps=1e-5, **_):
        super().__init__(hidden_size, eps, dtype=config.params_dtype)
        self.weight.sequence_parallel = config.sequence_parallel


def make_model(args):
    precision = {"bf16": True, "params_dtype": torch.bfloat16, "pipeline_dtype": torch.bfloat16}
    shape = {"num_layers": args.layers, "hidden_size": args.hidden, "ffn_hidden_size": args.ffn}
    heads = {"num_attention_heads": args.heads, "num_query_groups": args.groups, "masked_softmax_fusion": False}
    kind = {"normalization": "RMSNorm", "gated_linear_unit": True, "activation_func": torch.nn.functional.silu, "add_bias_linear": False}
    split = {"tensor_model_parallel_size": args.tensor, "pipeline_model_parallel_size": args.pipeline, "sequence_parallel": args.tensor > 1}
    # Two of the experts for each token; the ranks of a group each have some of them.
    experts = {"num_moe_experts": args.experts, "expert_model_parallel_size": args.expert_ranks, "moe_token_dispatcher_type": "alltoall"} if args.experts else {}
    config = TransformerConfig(**shape, **heads, **kind, **split, **experts, **precision, recompute_granularity="selective", attention_dropout=0.0, hidden_dropout=0.0)
    layer = get_gpt_layer_local_spec(args.experts or None, normalization="RMSNorm")
    layer.submodules.input_layernorm = layer.submodules.pre_mlp_layernorm = Norm
    block = TransformerBlockSubmodules(layer_specs=[layer] * get_num_layers_to_build(config), layer_norm=Norm)
    stage = {"pre_process": parallel_state.is_pipeline_first_stage(), "post_process": parallel_state.is_pipeline_last_stage()}
    return GPTModel(config, block, args.vocabulary, args.sequence, position_embedding_type="rope", share_embeddings_and_output_weights=False, **stage).cuda()


def forward_step(batches, model):
    tokens = next(batches)
    positions = torch.arange(tokens.shape[1] - 1, device="cuda").expand_as(tokens[:, 1:])
    losses = model(tokens[:, :-1].contiguous(), positions, None, labels=tokens[:, 1:].contiguous())
    return losses, lambda given: (given.float().mean(), {"loss": given.detach().float().mean()})


def main():
    parser = argparse.ArgumentParser()
    for name, value in ONE.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    args = parser.parse_args()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.distributed.init_process_group("nccl")
    parallel_state.initialize_model_parallel(args.tensor, args.pipeline, expert_model_parallel_size=args.expert_ranks)
    model_parallel_cuda_manual_seed(0)
    model = make_model(args)
    model = DistributedDataParallel(model.config, DistributedDataParallelConfig(use_distributed_optimizer=True, grad_reduce_in_fp32=True), model)
    optimizer = get_megatron_optimizer(OptimizerConfig(optimizer="adam", lr=1e-4, bf16=True, use_distributed_optimizer=True), [model])
    for _ in range(3):
        model.zero_grad_buffer()
        optimizer.zero_grad()
        batches = iter([torch.randint(args.vocabulary, (1, args.sequence + 1), device="cuda") for _ in range(args.microbatches)])
        size = {"num_microbatches": args.microbatches, "seq_length": args.sequence, "micro_batch_size": 1}
        get_forward_backward_func()(forward_step_func=forward_step, data_iterator=batches, model=model, **size)
        finalize_model_grads([model])
        optimizer.step()
    print(f"rank {torch.distributed.get_rank()}: {torch.cuda.max_memory_allocated()} bytes\n", end="", flush=True)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
