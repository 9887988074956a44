import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class LoRALinear(nn.Module):
    def __init__(self, base, rank=4, alpha=8.0, dropout=0.05):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.lora_A = nn.Linear(base.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, base.out_features, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.scaling = alpha / rank
        nn.init.kaiming_uniform_(self.lora_A.weight, a=math.sqrt(5))
        nn.init.zeros_(self.lora_B.weight)

    def forward(self, x):
        return self.base(x) + self.lora_B(self.lora_A(self.dropout(x))) * self.scaling


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.q_proj, self.k_proj = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.v_proj, self.out_proj = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        b, t, d = x.shape
        h = self.norm1(x)
        q, k, v = (proj(h).view(b, t, self.heads, -1).transpose(1, 2) for proj in (self.q_proj, self.k_proj, self.v_proj))
        h = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out_proj(h.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.norm2(x))


class LM(nn.Module):
    def __init__(self, vocab=50, dim=32, depth=1):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.pos = nn.Parameter(torch.randn(1, 64, dim) * 0.02)
        self.blocks = nn.ModuleList(Block(dim, 4) for _ in range(depth))
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocab, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids, labels=None):
        x = self.embed(ids) + self.pos[:, : ids.size(1)]
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        loss = None
        if labels is not None:
            loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), ignore_index=-100)
        return logits, loss


def inject(model, names=("q_proj", "v_proj")):
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if name in names and isinstance(child, nn.Linear):
                setattr(parent, name, LoRALinear(child))


def merged(layer):
    with torch.no_grad():
        return layer.base.weight + layer.scaling * layer.lora_B.weight @ layer.lora_A.weight


def train(stop):
    torch.manual_seed(0)
    model = LM()
    for p in model.parameters():
        p.requires_grad_(False)
    inject(model)
    trainable = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trainable, lr=1e-3, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 4))
    ids = torch.randint(0, 50, (16, 12))
    labels = ids.clone()
    labels[:, :3] = -100
    loader = DataLoader(TensorDataset(ids, labels), batch_size=4, shuffle=True)
    accumulate = 2
    for epoch in range(1):
        model.train()
        for step, (batch, target) in enumerate(loader):
            logits, loss = model(batch, target)
            (loss / accumulate).backward()
            if (step + 1) % accumulate == 0:
                torch.nn.utils.clip_grad_norm_(trainable, 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad(set_to_none=True)
        model.eval()
        with torch.no_grad():
            _, val = model(ids[:4], labels[:4])
        weight = merged(model.blocks[0].q_proj)
        stop()
    state = {name: value for name, value in model.state_dict().items() if "lora_" in name}
    return val, weight, state
