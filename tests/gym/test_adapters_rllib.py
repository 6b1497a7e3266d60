"""RLlib makes vector environments by their name: nothing has to be adapted."""

import numpy as np
import pytest

ray = pytest.importorskip("ray")
pytest.importorskip("ray.rllib")
pytest.importorskip("torch")

from ray.rllib.algorithms.ppo import PPOConfig  # noqa: E402
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig  # noqa: E402

from lanewise.gym import VectorEnv  # noqa: E402


@pytest.fixture
def algorithm():
    config = (
        PPOConfig()
        .environment("lanewise.gym:lanewise/HalfCheetah-v5", env_config={"nthread": 1})
        .env_runners(
            num_env_runners=0, num_envs_per_env_runner=8,
            gym_env_vectorize_mode="vector_entry_point", rollout_fragment_length=32,
        )
        .training(train_batch_size_per_learner=256, minibatch_size=128, num_epochs=1)
        .rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[16]))
        .learners(num_learners=0)
    )  # fmt: skip
    mine = not ray.is_initialized()  # tests of clusters may have left theirs to this process
    if mine:
        ray.init(
            address="local", num_cpus=1, include_dashboard=False, log_to_driver=False,
            configure_logging=False, object_store_memory=80 * 1024 * 1024,
        )  # fmt: skip
    made = config.build_algo()
    yield made
    made.stop()
    if mine:
        ray.shutdown()


@pytest.mark.filterwarnings("ignore")
def test_ppo(algorithm):
    """An iteration on eight environments of one Batch."""
    env = algorithm.env_runner.env.unwrapped
    assert isinstance(env, VectorEnv) and env.num_envs == 8 and env.batch.nsim == 8
    found = algorithm.train()
    assert found["env_runners"]["num_env_steps_sampled"] == 256
    losses = found["learners"]["default_policy"]
    assert np.isfinite(float(losses["total_loss"]))
