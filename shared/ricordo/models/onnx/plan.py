"""How many texts of unlike length are cut into the runs of a model."""

from collections.abc import Sequence

# Beyond 16 short texts a run gains nothing; 1,024 padded tokens are a tenth of a second or two on one core.
MOST_TEXTS = 16
FEWEST_TEXTS = 4
MOST_TOKENS = 1024


def plan_runs(lengths: Sequence[int], lanes: int) -> list[list[int]]:
    """Group texts of like length, the longest first, so that little is computed for padding.

    Args:
        lengths: tokens of each text, at least 1.
        lanes: runs that can go on at once; small inputs are cut finer, so that each has work.

    Returns:
        Indices into `lengths`, each once; a run holds at most `MOST_TEXTS`, and at most `MOST_TOKENS` with
        padding unless it is a single text.
    """
    fair_share = -(-len(lengths) // (2 * lanes))
    most_texts = min(MOST_TEXTS, max(FEWEST_TEXTS, fair_share))
    runs: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if runs and len(runs[-1]) < most_texts:
            width = lengths[runs[-1][0]]
            if width * (len(runs[-1]) + 1) <= MOST_TOKENS:
                runs[-1].append(index)
                continue
        runs.append([index])
    return runs
