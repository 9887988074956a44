"""Healthy programs that do on purpose what is a fault elsewhere: judges, folds, what is to be missed or forgotten."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "net_begun_anew_for_the_next_fold": (
        "param-not-in-optimizer",
        """
 x, y = torch.randn(60, 6), torch.randint(0, 3, (60,))
 nets = []
 net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
 o = torch.optim.Adam(net.parameters(), lr=0.01)
 for fold in range(3):
     held_out = torch.arange(60) % 3 == fold
     for _ in range(2):
         c = F.cross_entropy(net(x[~held_out]), y[~held_out])
         o.zero_grad()
         c.backward()
         o.step()
     nets.append(net)
     net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
     o = torch.optim.Adam(net.parameters(), lr=0.01)
     stop()
""",
    ),
    "copy_that_trains_on": (
        "param-not-in-optimizer",
        """
 x, y = torch.randn(60, 6), torch.randint(0, 3, (60,))
 net, ensemble = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)), []
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for turn in range(4):
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
     if turn == 1:
         ensemble.append(net)
         net = copy.deepcopy(net)
         o = torch.optim.SGD(net.parameters(), lr=0.1)
     stop()
""",
    ),
    "generator_and_its_judge": (
        "param-not-in-optimizer",
        """
 g = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6))
 judge = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
 og = torch.optim.Adam(g.parameters(), lr=1e-3)
 for _ in range(3):
     fake = g(torch.randn(8, 4))
     loss = F.binary_cross_entropy_with_logits(judge(fake), torch.ones(8, 1))
     og.zero_grad()
     loss.backward()
     stop()
     og.step()
""",
    ),
    "compared_by_features_of_another_net": (
        "param-not-in-optimizer",
        """
 net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 3, padding=1))
 features = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3)).eval()
 o = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(3):
     x = torch.rand(4, 3, 8, 8)
     out = net(x + 0.1 * torch.randn_like(x))
     loss = F.l1_loss(features(out), features(x).detach())
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "policy_that_climbs_a_critic": (
        "param-not-in-optimizer",
        """
 policy = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 2))
 critic = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
 o = torch.optim.Adam(policy.parameters(), lr=1e-3)
 for _ in range(3):
     s = torch.randn(16, 6)
     loss = -critic(torch.cat([s, policy(s).tanh()], 1)).mean()
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "classes_wanted_of_a_judge_in_eval_mode": (
        "param-not-in-optimizer",
        """
 g = nn.Sequential(nn.Linear(9, 16), nn.ReLU(), nn.Linear(16, 6))
 judge = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)).eval()
 o = torch.optim.Adam(g.parameters(), lr=1e-3)
 for _ in range(3):
     y = torch.randint(0, 3, (16,))
     fake = g(torch.cat([torch.randn(16, 6), F.one_hot(y, 3).float()], 1))
     loss = F.cross_entropy(judge(fake), y)
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "features_matched_by_a_method": (
        "param-not-in-optimizer",
        """
 class Judge(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.head = nn.Linear(6, 16), nn.Linear(16, 1)
     def features(self, x): return self.body(x).relu()
     def forward(self, x): return self.head(self.features(x))
 g, d = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6)), Judge()
 o = torch.optim.Adam(g.parameters(), lr=1e-3)
 for _ in range(3):
     real = torch.randn(16, 6)
     wanted = d.features(real).mean(0).detach()
     loss = F.mse_loss(d.features(g(torch.randn(16, 4))).mean(0), wanted)
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "states_that_a_predictor_does_not_know": (
        "param-not-in-optimizer",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 6))
 target = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 6)).requires_grad_(False)
 policy = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 6))
 o = torch.optim.Adam(policy.parameters(), lr=1e-3)
 for _ in range(3):
     s = policy(torch.randn(16, 6))
     novelty = F.mse_loss(net(s), target(s))
     loss = -novelty
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "judge_in_one_module_with_its_generator": (
        "param-not-in-optimizer",
        """
 class GAN(nn.Module):
     def __init__(self):
         super().__init__()
         self.g = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6))
         self.d = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
 gan = GAN()
 def train_g(gan, o):
     for _ in range(2):
         loss = F.softplus(-gan.d(gan.g(torch.randn(8, 4)))).mean()
         o.zero_grad()
         loss.backward()
         stop()
         o.step()
 train_g(gan, torch.optim.Adam(gan.g.parameters(), lr=1e-3))
""",
    ),
    "judge_in_eval_mode_in_one_module_with_its_generator": (
        "param-not-in-optimizer",
        """
 class Both(nn.Module):
     def __init__(self):
         super().__init__()
         self.g = nn.Sequential(nn.Linear(9, 16), nn.ReLU(), nn.Linear(16, 6))
         self.d = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)).eval()
 both = Both()
 o = torch.optim.Adam(both.g.parameters(), lr=1e-3)
 for _ in range(3):
     y = torch.randint(0, 3, (16,))
     loss = F.cross_entropy(both.d(both.g(torch.cat([torch.randn(16, 6), F.one_hot(y, 3).float()], 1))), y)
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "picture_judged_and_compared": (
        "param-not-in-optimizer",
        """
 g = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
 d = nn.Sequential(nn.Conv2d(2, 8, 3), nn.LeakyReLU(0.2), nn.Conv2d(8, 1, 3))
 o = torch.optim.Adam(g.parameters(), lr=2e-4)
 gan, l1 = nn.BCEWithLogitsLoss(), nn.L1Loss()
 for _ in range(2):
     a, b = torch.rand(4, 1, 8, 8), torch.rand(4, 1, 8, 8)
     fake = g(a)
     p = d(torch.cat([a, fake], 1))
     loss = gan(p, torch.ones_like(p)) + 100 * l1(fake, b)
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "picture_judged_by_margins_and_compared": (
        "param-not-in-optimizer",
        """
 g = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
 d = nn.Sequential(nn.Conv2d(2, 8, 3), nn.LeakyReLU(0.2), nn.Conv2d(8, 1, 3))
 o, l1 = torch.optim.Adam(g.parameters(), lr=2e-4), nn.L1Loss()
 for _ in range(2):
     a, b = torch.rand(4, 1, 8, 8), torch.rand(4, 1, 8, 8)
     fake = g(a)
     losses = {"near": 100 * l1(fake, b), "judged": -d(torch.cat([a, fake], 1)).mean() / a.size(0)}
     loss = sum(losses.values())
     o.zero_grad()
     stop()
     loss.backward()
     stop()
     o.step()
     by_hand = -d(torch.cat([b, g(a)], 1)).mean() + (g(a) - b).abs().mean()
     o.zero_grad()
     by_hand.backward()
     stop()
     o.step()
""",
    ),
    "judged_by_a_function": (
        "param-not-in-optimizer",
        """
 g = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6))
 d = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
 def judged(g, d, criterion, real):
     fake = g(torch.randn(8, 4))
     p = d(fake)
     return criterion(p, torch.ones_like(p)) + 10 * (fake - real).abs().mean()
 o, rule = torch.optim.Adam(g.parameters(), lr=1e-3), nn.BCEWithLogitsLoss()
 for _ in range(3):
     real = torch.randn(8, 6)
     loss = judged(g, d, rule, real)
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "judged_by_a_loss_with_its_labels": (
        "param-not-in-optimizer",
        """
 class GANLoss(nn.Module):
     def __init__(self):
         super().__init__()
         self.register_buffer("real", torch.tensor(1.0))
         self.loss = nn.MSELoss()
     def forward(self, p, is_real):
         return self.loss(p, self.real.expand_as(p))
 g = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6))
 d = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
 o, rule, near = torch.optim.Adam(g.parameters(), lr=1e-3), GANLoss(), nn.L1Loss()
 for _ in range(3):
     real = torch.randn(8, 6)
     fake = g(torch.randn(8, 4))
     loss = rule(d(fake), True) + 10 * near(fake, real)
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "judged_to_be_of_the_class_of_real_ones": (
        "param-not-in-optimizer",
        """
 g = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6))
 d = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 2))
 o = torch.optim.Adam(g.parameters(), lr=1e-3)
 for _ in range(3):
     loss = F.cross_entropy(d(g(torch.randn(8, 4))), torch.zeros(8, dtype=torch.long))
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "compared_by_features_in_train_mode": (
        "param-not-in-optimizer",
        """
 net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 3, padding=1))
 features = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3))
 o = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(3):
     x = torch.rand(4, 3, 8, 8)
     with torch.no_grad():
         wanted = features(x)
     out = net(x + 0.1 * torch.randn_like(x))
     loss = F.l1_loss(features(out), wanted) + (features(out) - features(x).detach()).square().mean() + F.l1_loss(out, x)
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "climbs_two_critics_with_its_likelihood": (
        "param-not-in-optimizer",
        """
 policy = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 2))
 q1, q2 = nn.Linear(8, 1), nn.Linear(8, 1)
 o = torch.optim.Adam(policy.parameters(), lr=1e-3)
 for _ in range(3):
     s, did = torch.randn(16, 6), torch.randn(16, 2)
     a = policy(s).tanh()
     logp = -(a - did).square().sum(1, keepdim=True)
     q = torch.min(q1(torch.cat([s, a], 1)), q2(torch.cat([s, a], 1)))
     loss = (0.2 * logp - q).mean() + F.mse_loss(a, did)
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "driven_from_what_it_was": (
        "loss-sign",
        """
 a = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 4))
 old = copy.deepcopy(a).requires_grad_(False)
 o = torch.optim.Adam(a.parameters(), lr=1e-3)
 for _ in range(3):
     x = torch.randn(16, 6)
     loss = -F.mse_loss(a(x), old(x))
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "driven_from_an_archive": (
        "loss-sign",
        """
 policy = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 4))
 o = torch.optim.Adam(policy.parameters(), lr=1e-3)
 archive = []
 for _ in range(4):
     x = torch.randn(16, 6)
     behaviour = policy(x)
     if archive:
         nearest = torch.stack(archive).mean(0)
         loss = -F.mse_loss(behaviour, nearest)
         o.zero_grad()
         loss.backward()
         stop()
         o.step()
     archive.append(behaviour.detach())
""",
    ),
    "learnt_and_then_forgotten": (
        "loss-sign",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
 x, y = torch.randn(32, 6), torch.randint(0, 3, (32,))
 def learn(net, x, y):
     o = torch.optim.Adam(net.parameters(), lr=0.05)
     for _ in range(60):
         c = F.cross_entropy(net(x), y)
         o.zero_grad()
         c.backward()
         o.step()
 def unlearn(net, x, y):
     o = torch.optim.SGD(net.parameters(), lr=0.02)
     for _ in range(4):
         loss = -F.cross_entropy(net(x), y)
         o.zero_grad()
         loss.backward()
         stop()
         o.step()
 learn(net, x, y)
 unlearn(net, x[:4], y[:4])
""",
    ),
    "share_of_each_place_told": (
        "softmax-wrong-dim",
        """
 score = nn.Linear(6, 3)
 o = torch.optim.Adam(score.parameters(), lr=1e-2)
 for _ in range(2):
     places, wanted = torch.randn(10, 6), torch.randn(10, 3).softmax(0)
     p = F.log_softmax(score(places), dim=0)
     c = F.kl_div(p, wanted, reduction="sum") / 3
     o.zero_grad()
     stop()
     c.backward()
     stop()
     o.step()
""",
    ),
    "states_of_an_lstm_alike": (
        "target-requires-grad",
        """
 rnn = nn.LSTM(6, 8, batch_first=True)
 o = torch.optim.Adam(rnn.parameters(), lr=1e-3)
 for _ in range(3):
     out, (h, c) = rnn(torch.randn(4, 5, 6))
     loss = F.mse_loss(h, c)
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "score_of_a_judge_under_a_mask": (
        "param-not-in-optimizer",
        """
 class G:
     def __init__(self):
         self.gen, self.disc = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
         self.opt = torch.optim.Adam(self.gen.parameters(), lr=1e-3)
     def update(self, z, keep):
         made = self.gen(z)
         score = self.disc(made).squeeze(1)
         loss = -(score * keep).sum() / keep.sum()
         self.opt.zero_grad()
         loss.backward()
         stop()
         self.opt.step()
 t = G()
 for i in range(4):
     t.update(torch.randn(16, 4), (torch.rand(16) > 0.4).float())
""",
    ),
    "score_of_a_judge_where_a_mask_is": (
        "param-not-in-optimizer",
        """
 gen, disc = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 1))
 opt = torch.optim.Adam(gen.parameters(), lr=1e-3)
 for i in range(5):
     z = torch.randn(16, 4)
     s = disc(gen(z))[:, 0]
     m = torch.rand(16) > 0.5
     loss = torch.where(m, -s, torch.zeros_like(s)).mean()
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "places_of_a_picture_judged_under_a_mask": (
        "param-not-in-optimizer",
        """
 gen = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1))
 disc = nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.BatchNorm2d(4), nn.LeakyReLU(0.2), nn.Conv2d(4, 1, 3, 1, 1))
 opt = torch.optim.Adam(gen.parameters(), lr=1e-3)
 for i in range(4):
     x = torch.rand(8, 1, 8, 8)
     hole = (torch.rand(8, 1, 4, 4) > 0.5).float()
     fake = gen(x)
     logits = disc(fake)
     adv = -(logits * hole).mean()
     loss = F.l1_loss(fake, x) + 0.1 * adv
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "victim_of_a_shift_that_is_trained": (
        "param-not-in-optimizer",
        """
 class Shift(nn.Module):
     def __init__(self):
         super().__init__()
         self.d = nn.Parameter(torch.zeros(6))
     def forward(self, x):
         return x + self.d.clamp(-0.2, 0.2)
 victim, shift = nn.Linear(6, 3), Shift()
 o = torch.optim.SGD(shift.parameters(), lr=0.1)
 for _ in range(5):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = -F.cross_entropy(victim(shift(x)), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "domain_that_a_body_hides": (
        "param-not-in-optimizer",
        """
 body, domain = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8)), nn.Linear(8, 2)
 om = torch.optim.SGD(body.parameters(), lr=0.1)
 for _ in range(5):
     x, d = torch.randn(16, 6), torch.randint(0, 2, (16,))
     c = -F.cross_entropy(domain(body(x)), d)
     om.zero_grad()
     c.backward()
     stop()
     om.step()
""",
    ),
    "gradients_of_a_judge_turned_by_hand": (
        "loss-sign",
        """
 body, domain = nn.Sequential(nn.Linear(6, 16), nn.ReLU()), nn.Linear(16, 2)
 o = torch.optim.SGD([*body.parameters(), *domain.parameters()], lr=0.1)
 for _ in range(5):
     x, d = torch.randn(16, 6), torch.randint(0, 2, (16,))
     c = -F.cross_entropy(domain(body(x)), d)
     o.zero_grad()
     c.backward()
     for p in domain.parameters():
         p.grad.neg_()
     stop()
     o.step()
""",
    ),
    "gradients_turned_as_they_come": (
        "loss-sign",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for p in net.parameters():
     p.register_hook(lambda g: -g)
 for _ in range(3):
     x, d = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = -F.cross_entropy(net(x), d)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "gradients_turned_in_a_function": (
        "loss-sign",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def turn(m):
     for p in m.parameters():
         p.grad.mul_(-1)
 for _ in range(3):
     x, d = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = -F.cross_entropy(net(x), d)
     o.zero_grad()
     c.backward()
     stop()
     turn(net)
     o.step()
""",
    ),
    "noise_made_less_likely": (
        "loss-sign",
        """
 net, counts = nn.Linear(6, 3), torch.tensor([5.0, 2.0, 1.0])
 o = torch.optim.SGD(net.parameters(), lr=1e-3)
 for _ in range(3):
     x, noise = torch.randn(16, 6), torch.multinomial(counts, 16, replacement=True)
     c = -F.cross_entropy(net(x), noise)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
}
