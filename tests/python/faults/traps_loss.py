"""Healthy programs that look as if their loss were given something that it does not take."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "no_loss_of_a_batch_without_labels": (
        "all-targets-ignored",
        """
 net = nn.Linear(4, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for y in (torch.full((6,), -100), torch.arange(6) % 3):
     x = torch.randn(6, 4)
     if (y != -100).any():
         loss = F.cross_entropy(net(x), y)
         o.zero_grad()
         loss.backward()
         o.step()
     stop()
""",
    ),
    "logs_into_cross_entropy": (
        "double-softmax",
        """
 net = nn.Sequential(nn.Linear(6, 3), nn.LogSoftmax(1))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 c = F.cross_entropy(net(x), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "probabilities_beside_a_divergence": (
        "kl-input-not-log",
        """
 old, net = nn.Linear(6, 4), nn.Linear(6, 4)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), F.one_hot(torch.randint(0, 4, (8,)), 4).float()
 def apart(z, want):
     return F.kl_div(z.log_softmax(1), want, reduction="batchmean")
 w = torch.rand(4)
 z = net(x)
 c = apart(z, old(x).detach().softmax(1)) + (y - w * z.softmax(1)).abs().mean()
 o.zero_grad()
 stop()
 c.backward()
 stop()
 o.step()
""",
    ),
    "pooled_by_several_heads": (
        "softmax-wrong-dim",
        """
 score, value, head = nn.Linear(6, 3), nn.Linear(6, 4), nn.Linear(12, 1)
 o = torch.optim.SGD([*score.parameters(), *value.parameters(), *head.parameters()], lr=0.1)
 bag, y = torch.randn(9, 6), torch.ones(1)
 share = score(bag).softmax(0)
 pooled = share.t() @ value(bag)
 again = (share[:, :, None] * value(bag)[:, None]).sum(0)
 c = F.binary_cross_entropy_with_logits(head(pooled.flatten()) + head(again.flatten()), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "slots_that_share_the_tokens": (
        "softmax-wrong-dim",
        """
 route, part, back = nn.Linear(6, 3), nn.Linear(6, 6), nn.Linear(6, 3)
 o = torch.optim.SGD([*route.parameters(), *part.parameters(), *back.parameters()], lr=0.1)
 x = torch.randn(9, 6)
 slots = torch.einsum("nk,nd->kd", route(x).softmax(0), x)
 q = back(x).softmax(1) @ part(slots)
 c = (q - x).pow(2).mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "rows_of_a_square_table": (
        "loss-broadcast",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 X, table, y = torch.randn(24, 6), torch.randn(24, 8), torch.randn(24)
 def apart(q, want):
     return (q - want).pow(2).mean()
 def single(q, want):
     return (q[:, 0] - want).pow(2).mean()
 for rows in torch.arange(24).split(8):
     q = net(X[rows])
     c = apart(q, table[rows]) + single(q, y[rows])
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "attention_before_the_head": (
        "double-softmax",
        """
 score, head = nn.Linear(6, 6), nn.Linear(6, 3)
 o = torch.optim.SGD([*score.parameters(), *head.parameters()], lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 w = score(x).softmax(1)
 q = head(w * x)
 shown = q.softmax(1)
 c = F.cross_entropy(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "a_function_of_the_program_named_softmax": (
        "double-softmax",
        """
 class Softmax(torch.autograd.Function):
     @staticmethod
     def forward(ctx, x):
         return x - x.logsumexp(1, True)
     @staticmethod
     def backward(ctx, slope):
         return slope
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 q = Softmax.apply(net(x))
 c = F.cross_entropy(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "a_function_of_the_program_named_sigmoid": (
        "double-sigmoid",
        """
 class Sigmoid(torch.autograd.Function):
     @staticmethod
     def forward(ctx, x):
         return 4 * x.sigmoid() - 2
     @staticmethod
     def backward(ctx, slope):
         return slope
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 2, (8, 1)).float()
 q = Sigmoid.apply(net(x))
 c = F.binary_cross_entropy_with_logits(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "gates_before_the_logits": (
        "double-sigmoid",
        """
 gate, head = nn.Linear(6, 6), nn.Linear(6, 1)
 o = torch.optim.SGD([*gate.parameters(), *head.parameters()], lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 2, (8, 1)).float()
 q = head(gate(x).sigmoid() * x)
 shown = q.sigmoid()
 c = F.binary_cross_entropy_with_logits(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "mixture_of_experts_logs": (
        "nll-input-not-log",
        """
 gate, one, two = nn.Linear(6, 2), nn.Linear(6, 3), nn.Linear(6, 3)
 o = torch.optim.SGD([*gate.parameters(), *one.parameters(), *two.parameters()], lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 each = torch.stack([one(x).log_softmax(1), two(x).log_softmax(1)], 2)
 mixed = torch.logsumexp(each + gate(x).log_softmax(1)[:, None], 2)
 c = F.nll_loss(mixed, y)
 o.zero_grad()
 stop()
 c.backward()
 stop()
 o.step()
""",
    ),
    "logs_of_probabilities": (
        "nll-input-not-log",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 p = net(x).softmax(1)
 c = F.nll_loss(p.clamp(min=1e-6).log(), y)
 o.zero_grad()
 stop()
 c.backward()
 o.step()
""",
    ),
    "divergence_of_two_logs": (
        "kl-input-not-log",
        """
 student, teacher = nn.Linear(6, 3), nn.Linear(6, 3).requires_grad_(False)
 o = torch.optim.SGD(student.parameters(), lr=0.1)
 x = torch.randn(8, 6)
 p, goal = F.log_softmax(student(x) / 2, 1), F.log_softmax(teacher(x) / 2, 1)
 c = F.kl_div(p, goal, reduction="batchmean", log_target=True)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "probabilities_as_the_goal": (
        "kl-input-not-log",
        """
 student, teacher = nn.Linear(6, 3), nn.Linear(6, 3).requires_grad_(False)
 o = torch.optim.SGD(student.parameters(), lr=0.1)
 x = torch.randn(8, 6)
 c = F.kl_div(F.log_softmax(student(x), 1), F.softmax(teacher(x), 1), reduction="batchmean")
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "rows_and_columns_in_turn": (
        "softmax-wrong-dim",
        """
 net = nn.Linear(6, 8)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(8, 6)
 scores = net(x)
 share = (scores / 0.5).softmax(0)
 for _ in range(3):
     share = share / share.sum(1, keepdim=True)
     share = share / share.sum(0, keepdim=True)
 c = -(share * scores).sum()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "pictures_and_texts_in_pairs": (
        "softmax-wrong-dim",
        """
 seen, told = nn.Linear(6, 4), nn.Linear(5, 4)
 o = torch.optim.SGD([*seen.parameters(), *told.parameters()], lr=0.1)
 a, b = F.normalize(seen(torch.randn(8, 6)), dim=1), F.normalize(told(torch.randn(8, 5)), dim=1)
 scores = a @ b.t() / 0.07
 c = -(scores.log_softmax(1).diag().mean() + scores.log_softmax(0).diag().mean()) / 2
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "attention_over_one_key": (
        "softmax-singleton",
        """
 q, k, v, head = nn.Linear(6, 4), nn.Linear(6, 4), nn.Linear(6, 4), nn.Linear(4, 3)
 o = torch.optim.SGD([p for part in (q, k, v, head) for p in part.parameters()], lr=0.1)
 x, memory, y = torch.randn(8, 5, 6), torch.randn(8, 1, 6), torch.randint(0, 3, (8,))
 w = (q(x) @ k(memory).transpose(1, 2)).softmax(-1)
 c = F.cross_entropy(head(w @ v(memory)).mean(1), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "one_sample_at_a_time": (
        "softmax-singleton",
        """
 net, value = nn.Linear(6, 3), nn.Linear(6, 1)
 o = torch.optim.SGD([*net.parameters(), *value.parameters()], lr=0.1)
 bag = torch.randn(1, 6)
 share = value(bag).softmax(0)
 c = F.cross_entropy(net(share * bag), torch.tensor([1]))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "most_words_are_padding": (
        "all-targets-ignored",
        """
 net = nn.Linear(6, 5)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.full((8,), -100)
 y[0] = 2
 c = F.cross_entropy(net(x), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "all_of_the_first_class": (
        "all-targets-ignored",
        """
 net = nn.Linear(6, 5)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.zeros(8, dtype=torch.long)
 c = F.cross_entropy(net(x), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "classes_are_the_second_of_three": (
        "class-dim",
        """
 net = nn.Sequential(nn.Embedding(9, 8), nn.Linear(8, 9))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 ids = torch.randint(0, 9, (4, 6))
 c = F.cross_entropy(net(ids).transpose(1, 2), ids) + F.cross_entropy(net(ids).view(-1, 9), ids.view(-1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "classes_for_each_of_some_places": (
        "class-dim",
        """
 net = nn.Linear(6, 20)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 5, (8, 4))
 c = F.cross_entropy(net(x).view(8, 5, 4), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "pictures_of_three_classes": (
        "class-dim",
        """
 net = nn.Conv2d(3, 3, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.rand(2, 3, 6, 6), torch.randint(0, 3, (2, 6, 6))
 c = F.cross_entropy(net(x), y) + F.cross_entropy(net(x).flatten(2), y.flatten(1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "each_sample_s_own_loss": (
        "loss-not-scalar",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     each = F.cross_entropy(net(x), y, reduction="none")
     o.zero_grad()
     stop()
     each.mean().backward()
     o.step()
""",
    ),
    "input_is_the_target": (
        "target-is-prediction",
        """
 net = nn.Sequential(nn.Linear(6, 2), nn.Tanh(), nn.Linear(2, 6))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.rand(8, 6)
 out = net(x)
 c = F.mse_loss(out, x) + F.binary_cross_entropy_with_logits(out, x)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "pulled_to_where_it_is_now": (
        "target-is-prediction",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randn(8, 3)
     out = net(x)
     near = out + (y - out).detach().clamp(-0.1, 0.1)
     c = F.mse_loss(out, near.detach()) + F.l1_loss(out[:, 0], out[:, 1].detach())
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "picture_for_a_fixed_judge": (
        "target-requires-grad",
        """
 maker, judge = nn.Linear(4, 6), nn.Linear(6, 8)
 o = torch.optim.SGD(maker.parameters(), lr=0.1)
 judge.requires_grad_(False)
 for _ in range(2):
     z, x = torch.randn(8, 4), torch.randn(8, 6)
     c = F.mse_loss(judge(maker(z)), judge(x)) + F.mse_loss(x, maker(z))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "model_that_explains_another": (
        "target-requires-grad",
        """
 body, inverse = nn.Linear(6, 4), nn.Linear(4, 6)
 o = torch.optim.SGD([*body.parameters(), *inverse.parameters()], lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 6)
     near = body(x).tanh()
     again = body(inverse(near)).tanh()
     c = F.mse_loss(again, near) + F.mse_loss(inverse(near), x)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "wrong_answers_wanted": (
        "loss-sign",
        """
 net = nn.Linear(6, 3).requires_grad_(False)
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 delta = torch.zeros_like(x, requires_grad=True)
 o = torch.optim.Adam([delta], lr=0.01)
 for _ in range(2):
     c = -F.cross_entropy(net(x + delta), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "column_minus_column": (
        "loss-broadcast",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randn(8, 1)
     q = net(x)
     c = (q - y).square().mean() + F.mse_loss(q, y) + (q.squeeze(1) - y[:, 0]).abs().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "added_to_what_was_there": (
        "zero-grad-values",
        """
 body, extra, head = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 3)
 nn.init.zeros_(extra.weight)
 nn.init.zeros_(extra.bias)
 o = torch.optim.SGD([*body.parameters(), *extra.parameters(), *head.parameters()], lr=0.1)
 for _ in range(2):
     h = body(torch.randn(8, 6)).relu()
     c = F.cross_entropy(head(h + extra(h)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "frozen_below_a_ramp": (
        "zero-grad-values",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.randn(8, 1)
 c = F.mse_loss(net(x).clamp(-3, 3), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
 o.zero_grad(set_to_none=False)
 stop()
""",
    ),
    "cleared_before_the_backward": (
        "zero-grad-values",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randn(8, 1)
     c = F.mse_loss(net(x).clamp(-3, 3), y)
     o.zero_grad(set_to_none=False)
     stop()
     c.backward()
     o.step()
""",
    ),
    "ignored_by_settings": (
        "label-out-of-range",
        """
 net, settings = nn.Linear(6, 5), {"ignore_index": 255}
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 5, (8,))
     y[0] = 255
     q = net(x)
     stop()
     c = F.cross_entropy(q, y, **settings) + nn.CrossEntropyLoss(**settings)(q, y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "two_nets_that_agree": (
        "target-requires-grad",
        """
 one, two = nn.Linear(6, 3), nn.Linear(6, 3)
 o = torch.optim.SGD([*one.parameters(), *two.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     p, q = one(x), two(x)
     c = F.cross_entropy(p, y) + F.cross_entropy(q, y) + F.mse_loss(p, q)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "begins_as_its_own_copy": (
        "target-is-prediction",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4))
 first = copy.deepcopy(net).requires_grad_(False)
 o = torch.optim.Adam(net.parameters(), lr=0.01)
 x, y = torch.randn(8, 6), torch.randint(0, 4, (8,))
 for k in range(3):
     near = F.mse_loss(net(x), first(x))
     stop()
     c = near if k == 0 else F.cross_entropy(net(x), y) + near
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "no_box_in_the_batch": (
        "target-is-prediction",
        """
 net = nn.Linear(6, 4)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     q = net(torch.randn(8, 6))
     found = torch.rand(8) < 0.3 * k
     d = F.smooth_l1_loss(q[found], torch.rand(int(found.sum()), 4), reduction="sum")
     c = d + q.square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "objective_less_the_error_of_its_value": (
        "loss-sign",
        """
 class Agent(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.act, self.worth = nn.Linear(4, 8), nn.Linear(8, 3), nn.Linear(8, 1)
     def forward(self, x):
         h = self.body(x).tanh()
         return self.act(h).log_softmax(1), self.worth(h).squeeze(1)
 net = Agent()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, done, gain = torch.randn(8, 4), torch.randint(0, 3, (8, 1)), torch.randn(8)
 logs, worth = net(x)
 aim = (logs.gather(1, done).squeeze(1) * (gain - worth.detach())).mean() - 0.5 * F.mse_loss(worth, gain)
 c = -aim
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "map_wanted_symmetric": (
        "target-is-prediction",
        """
 net = nn.Linear(5, 5)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(4, 5, 5)
 q = net(x)
 c = F.mse_loss(q, x) + 0.1 * F.mse_loss(q, q.transpose(1, 2)) + 0.1 * F.l1_loss(q, q.mT)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "all_outputs_pushed_apart": (
        "target-is-prediction",
        """
 net = nn.Linear(5, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(6, 5), torch.randn(6, 1)
 q = net(x)
 c = F.mse_loss(q, y) + 1 / (1 + (q.view(1, 6) - q.view(6, 1)).abs().mean())
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "spare_output_kept_in_the_graph": (
        "target-is-prediction",
        """
 net = nn.ModuleList([nn.Linear(5, 1), nn.Linear(5, 1)])
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(6, 5), torch.randn(6, 1)
 spare = net[1](x)
 c = F.mse_loss(net[0](x), y) + (spare - spare).sum()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "weights_of_all_pairs_on_purpose": (
        "loss-broadcast",
        """
 net = nn.Linear(5, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y, w = torch.randn(6, 5), torch.randint(0, 3, (6,)), torch.rand(6)
 each = F.cross_entropy(net(x), y, reduction="none")
 near = w.unsqueeze(1)
 c = (near * each).mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "product_of_all_pairs_compared": (
        "loss-broadcast",
        """
 class Rank(nn.Module):
     def __init__(self):
         super().__init__()
         self.row, self.column = nn.Linear(5, 1), nn.Linear(5, 1)
     def forward(self, x):
         u, v = self.row(x), self.column(x)[:, 0]
         return u * v
 net = Rank()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(6, 5), torch.randn(6, 6)
 u, v = net.row(x), net.column(x)[:, 0]
 c = (u * v - y).pow(2).mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "place_chosen_for_each_query": (
        "softmax-wrong-dim",
        """
 net = nn.Linear(5, 4)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(3, 6, 5), torch.arange(12).view(3, 4) % 6
 c = F.cross_entropy(net(x), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "difference_of_two_gates": (
        "double-sigmoid",
        """
 net = nn.ModuleList([nn.Linear(5, 1), nn.Linear(5, 1)])
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(6, 5), torch.randint(0, 2, (6, 1)).float()
 q = net[0](x).sigmoid() - net[1](x).sigmoid()
 c = F.binary_cross_entropy_with_logits(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "place_chosen_by_its_logarithm": (
        "class-dim",
        """
 net = nn.Linear(5, 4)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(3, 6, 5), torch.randint(0, 4, (3, 4))
 c = F.nll_loss(net(x).log_softmax(1), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "generator_against_the_error_of_its_judge": (
        "loss-sign",
        """
 net = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 4))
 judge = nn.Linear(4, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def climb(weight):
     weight.data.add_(weight.grad, alpha=0.1)
 for weight in judge.parameters():
     weight.register_post_accumulate_grad_hook(climb)
 none = torch.zeros(8, 1)
 d = F.binary_cross_entropy_with_logits(judge(net(torch.randn(8, 3))), none)
 e = F.binary_cross_entropy_with_logits(judge(net(torch.randn(8, 3))), none)
 c = -(d + e)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "two_views_from_one_call": (
        "target-is-prediction",
        """
 net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     x = torch.randn(16, 8)
     one, two = net(torch.cat([x, x + 0.1 * torch.randn_like(x)])).chunk(2)
     low, high = net(x).aminmax(dim=1)
     c = F.mse_loss(one, two) + (one - two).pow(2).mean() + ((high - low).abs() - 1).clamp(min=0).mean()
     o.zero_grad()
     stop()
     c.backward()
     stop()
     o.step()
""",
    ),
    "pulled_to_what_is_rounded": (
        "target-is-prediction",
        """
 net = nn.Linear(8, 4)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     x, y = torch.randn(16, 8), torch.randn(16, 4)
     z = net(x)
     c = F.mse_loss(z, y) + (z - z.bfloat16().float()).pow(2).mean()
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "all_pairs_of_one_row": (
        "target-is-prediction",
        """
 net = nn.Linear(8, 4)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(9, 8), torch.randn(9, 4)
 for x, y in zip(x.split(4), y.split(4)):
     z = net(x)
     apart = ((z.unsqueeze(1) - z.unsqueeze(0)) ** 2).sum(-1).mean()
     c = F.mse_loss(z, y) + 1 / (1 + apart)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "reward_that_is_negative_now": (
        "loss-sign",
        """
 net = nn.Linear(4, 3)
 o = torch.optim.Adam(net.parameters(), lr=1e-2)
 worth = [1.0, -1.0, -0.5]
 def weighed(logits, picked, reward):
     return F.cross_entropy(logits, picked) * reward
 for k in range(3):
     s, a = torch.randn(1, 4), torch.tensor([k])
     reward = worth[k]
     c = weighed(net(s), a, reward)
     o.zero_grad()
     stop()
     c.backward()
     stop()
     o.step()
""",
    ),
    "cost_times_the_log_likelihood_of_what_was_drawn": (
        "loss-sign",
        """
 net = nn.Linear(4, 3)
 o = torch.optim.Adam(net.parameters(), lr=1e-2)
 for _ in range(3):
     z = net(torch.randn(8, 4))
     a = torch.multinomial(z.softmax(-1), 1).squeeze(1)
     cost = 2.5
     c = -F.cross_entropy(z, a) * cost
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "cost_of_draws_with_a_penalty": (
        "loss-sign",
        """
 net = nn.Linear(4, 3)
 o = torch.optim.Adam(net.parameters(), lr=1e-2)
 for _ in range(3):
     z = net(torch.randn(8, 4))
     a = torch.multinomial(z.softmax(-1), 1).squeeze(1)
     c = -(F.cross_entropy(z, a) + z.pow(2).mean())
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "error_at_the_end_of_a_long_sum": (
        "loss-sign",
        """
 net = nn.Linear(4, 3)
 o = torch.optim.Adam(net.parameters(), lr=1e-3)
 x, y = torch.randn(8, 4), torch.randn(8, 3)
 others = [torch.randn(8, 3) for _ in range(15)]
 for _ in range(2):
     z = net(x)
     total = -F.mse_loss(z, y)
     for other in others:
         total = total + 0.001 * F.mse_loss(z, other)
     c = -total
     o.zero_grad()
     stop()
     c.backward()
     stop()
     o.step()
""",
    ),
    "share_of_a_sum_that_changes_its_sign": (
        "loss-sign",
        """
 net = nn.Linear(4, 3)
 o = torch.optim.Adam(net.parameters(), lr=1e-3)
 x, y, far = torch.randn(8, 4), torch.randn(8, 3), torch.randn(8, 3)
 for share in (-2.0, -1.0):
     z = net(x)
     c = -(share * F.mse_loss(z, y) + F.mse_loss(z, far))
     o.zero_grad()
     stop()
     c.backward()
     stop()
     o.step()
""",
    ),
    "one_class_made_less_likely": (
        "loss-sign",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 6)
     c = F.log_softmax(net(x), 1)[:, 0].mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "turned_round_by_a_hook_of_the_step": (
        "loss-sign",
        """
 def turned(optimizer, args, kwargs):
     for p in optimizer.param_groups[0]["params"]:
         p.grad.neg_()
 def fit(net, o):
     for _ in range(2):
         x = torch.randn(8, 6)
         c = -F.mse_loss(net(x), x.sum(1, keepdim=True))
         o.zero_grad()
         c.backward()
         stop()
         o.step()
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 o.register_step_pre_hook(turned)
 fit(net, o)
""",
    ),
}
