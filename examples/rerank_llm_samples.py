"""From the samples of a language model to a saved reranker, with nothing but Python lists.

    python examples/rerank_llm_samples.py

Replace ``answers`` with what your model returned: objects of OpenAI or vLLM, or lists of strings. Without a
model at hand, this script spoils references.
"""

import random

import isogloss

rng = random.Random(1)
nouns = ["Hund", "Haus", "Baum", "Kind", "Auto", "Fluss", "Brief", "Stuhl"]
verbs = ["sieht", "findet", "malt", "sucht", "hört"]
references = [f"Der {rng.choice(nouns)} {rng.choice(verbs)} das {rng.choice(nouns)}." for _ in range(200)]
source = [line.replace("Der", "The").replace("das", "the") for line in references]
spoil = {"sieht": "seht", "Der": "Die", "das": "den", ".": "!", "findet": "findet findet"}


def sample(line):
    bad, good = rng.choice(list(spoil.items()))
    text = line.replace(bad, good) if rng.random() < 0.6 else line
    return {"text": text, "logprob": -len(text.split()) + rng.gauss(0, 2)}


answers = [{"samples": [sample(line) for _ in range(10)]} for line in references]

nbest = isogloss.NbestList.from_outputs(answers, source=source, references=references)
dev, test = nbest[:150], nbest[150:]
reranker = isogloss.Reranker(features=["expected:chrf,scale=0", "repetition", "lengths"])
reranker.fit(dev)
reranker.save("reranker")
choices = {
    "first sample": [own[0].text for own in test],
    "minimum risk": isogloss.mbr(test, utility="chrf", scale=0).best(),
    "reranked": isogloss.Reranker.load("reranker").rerank(test).best(),
}
for name, lines in choices.items():
    print(f"{name}: {isogloss.evaluate(lines, references[150:]).score('bleu'):.2f}")
