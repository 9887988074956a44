"""Healthy programs about modes, signs and frozen parts: each looks like a fault, and says by its rule which guard it trips."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "pictures_of_a_kind_made_of_noise": (
        "train-during-eval",
        """
 maker = nn.Sequential(nn.Linear(7, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
 kinds = F.one_hot(torch.arange(16) % 3, 3).float()
 with torch.no_grad():
     z = 0.5 * torch.randn(16, 4) + 0.1
     z[:, 0] = 1.0
     shown = maker(torch.cat([z.to("cpu"), kinds], 1))
     stop()
""",
    ),
    "pictures_refined_from_noise": (
        "train-during-eval",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4))
 with torch.no_grad():
     x = torch.randn(16, 4)
     for t in range(3):
         change = net(x)
         stop()
         x -= 0.1 * change
""",
    ),
    "tried_out_with_a_number_in_one_place": (
        "train-during-eval",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4))
 with torch.no_grad():
     x = torch.zeros(2, 4)
     x[0, 0] = 1.0
     out = net(x)
     stop()
 head = nn.Linear(out.size(1), 3)
""",
    ),
    "attack_in_eval_mode": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     net.eval()
     near = x.clone().requires_grad_()
     gain = F.cross_entropy(net(near), y)
     gain.backward()
     stop()
     worse = (near + 0.1 * near.grad.sign()).detach()
     net.train()
     o.zero_grad()
     c = F.cross_entropy(net(worse), y)
     c.backward()
     stop()
     o.step()
""",
    ),
    "norms_trained_below_a_frozen_mode": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 net.eval()
 for part in net.modules():
     if isinstance(part, nn.BatchNorm1d):
         part.train()
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "votes_with_dropout": (
        "train-during-eval",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 2))
 x = torch.randn(8, 4)
 net.eval()
 for part in net.modules():
     if isinstance(part, nn.Dropout):
         part.train()
 with torch.no_grad():
     votes = []
     for _ in range(4):
         out = net(x)
         votes.append(out.softmax(1))
         stop()
     spread = torch.stack(votes).std(0)
""",
    ),
    "likelihood_that_is_climbed": (
        "loss-sign",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1, maximize=True)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     likelihood = -F.cross_entropy(net(x), y)
     o.zero_grad()
     likelihood.backward()
     stop()
     o.step()
""",
    ),
    "critic_that_is_to_be_fooled": (
        "loss-sign",
        """
 body, critic = nn.Linear(6, 8), nn.Linear(8, 2)
 ob, oc = torch.optim.SGD(body.parameters(), lr=0.1), torch.optim.SGD(critic.parameters(), lr=0.1)
 for k in range(4):
     x, d = torch.randn(8, 6), torch.randint(0, 2, (8,))
     h = body(x).tanh()
     c = F.cross_entropy(critic(h), d) if k % 2 else -F.cross_entropy(critic(h), d)
     ob.zero_grad()
     oc.zero_grad()
     c.backward()
     stop()
     (oc if k % 2 else ob).step()
""",
    ),
    "some_samples_forgotten": (
        "loss-sign",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.01)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     o.zero_grad()
     forget = -F.cross_entropy(net(x[:2]), y[:2])
     forget.backward()
     stop()
     keep = F.cross_entropy(net(x[2:]), y[2:])
     keep.backward()
     stop()
     o.step()
""",
    ),
    "backward_with_weights": (
        "loss-not-scalar",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y, w = torch.randn(8, 6), torch.randint(0, 3, (8,)), torch.rand(8)
     c = F.cross_entropy(net(x), y, reduction="none")
     o.zero_grad()
     stop()
     c.backward(gradient=w / w.sum())
     stop()
     o.step()
""",
    ),
    "adapted_by_its_norms": (
        "frozen-params",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
 net.requires_grad_(False)
 norms = [p for part in net if isinstance(part, nn.BatchNorm1d) for p in part.parameters()]
 for p in norms: p.requires_grad_(True)
 o = torch.optim.Adam(norms, lr=1e-3)
 for _ in range(2):
     p = net(torch.randn(8, 6)).softmax(1)
     c = -(p * p.clamp(min=1e-6).log()).sum(1).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "inputs_that_need_gradients": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 first, body, head = nn.Linear(6, 8), nn.Sequential(nn.Linear(8, 8), nn.Tanh()), nn.Linear(8, 3)
 o = torch.optim.SGD([*first.parameters(), *body.parameters(), *head.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     h = first(x)
     h = checkpoint(body, h, use_reentrant=True)
     c = F.cross_entropy(head(h), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "calibrated_output": (
        "no-nonlinearity",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1), nn.Linear(1, 1))
 o = torch.optim.SGD(net.parameters(), lr=0.01)
 for _ in range(2):
     x = torch.randn(8, 6)
     c = F.mse_loss(net(x), x.sum(1, keepdim=True))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "labels_where_a_caller_has_no_gradients": (
        "train-during-eval",
        """
 def label(k, d):
     found = []
     for a, _ in d:
         out = k(a)
         stop()
         found.append(out.argmax(1))
     return found
 k = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 3))
 d = [(torch.randn(8, 6), None) for _ in range(2)]
 with torch.no_grad():
     label(k, d)
""",
    ),
    "memory_that_a_function_writes": (
        "nan-in-input",
        """
 def write(into, values):
     into.copy_(values)
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.empty(8, 6)
 x.data[:] = math.nan
 for _ in range(2):
     stop()
     write(x, torch.randn(8, 6))
     c = F.cross_entropy(net(x), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
     x.data[:] = math.nan
""",
    ),
    "memory_that_the_next_operation_writes": (
        "nan-in-input",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.full((8, 6), math.nan)
 for _ in range(2):
     stop()
     torch.mul(torch.randn(8, 6), 2, out=x)
     c = F.cross_entropy(net(x), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
     x.data[:] = math.nan
""",
    ),
    "a_term_without_weight_beside_a_relu": (
        "zero-grad-values",
        """
 a, b = nn.Linear(6, 8), nn.Linear(6, 1)
 o = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
 weight = 0.0
 for _ in range(2):
     x = torch.randn(8, 6)
     c = weight * (a(x).relu().sum() + b(x).sum()) + 1.0
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     weight += 0.1
""",
    ),
    "votes_of_a_caller": (
        "train-during-eval",
        """
 def judge(k, d):
     n = 0
     for a, b in d:
         out = k(a)
         stop()
         n += (out.argmax(1) == b).sum().item()
     return n
 def vote(k, d):
     k.train()
     with torch.no_grad():
         return [judge(k, d) for _ in range(3)]
 k = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 3))
 d = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(2)]
 vote(k, d)
""",
    ),
}
