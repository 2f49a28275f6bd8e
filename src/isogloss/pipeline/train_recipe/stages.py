"""The stages from parallel text to a tuned, evaluated system, in order."""

from __future__ import annotations

from isogloss.corpus.processing import SideOptions
from isogloss.pipeline.stage import Output, Stage
from isogloss.pipeline.train_options import RELEVANT_SET, TrainOptions
from isogloss.pipeline.train_recipe.models import Models, tables
from isogloss.pipeline.train_recipe.part import SIDES, Helpers, Inputs
from isogloss.pipeline.train_recipe.systems import Systems
from isogloss.pipeline.train_recipe.text import Text

__all__ = ["recipe"]


def recipe(
    options: TrainOptions, helpers: Helpers, sides: tuple[SideOptions, SideOptions] | None = None
) -> list[Stage]:
    """The stages, in order; ``sides`` is what is done to the text of source and target."""
    facts = (options, helpers, sides or options.sides)
    text, models, systems = Text(*facts), Models(*facts), Systems(*facts)
    clean = text.clean()
    first = [clean]
    train: Inputs = {side: clean[side] for side in SIDES}
    sets = text.given_sets()
    if options.dev_source is None or options.sets_test_aside:
        split = text.hold_out(clean)
        first.append(split)
        train = {side: split[side] for side in SIDES}
        sets |= {name: split[name] for name in split.outputs if name not in train}
    if options.corrections is not None:
        folded = text.fold_in(train, sets)
        first.append(folded)
        train = {side: folded[side] for side in SIDES}
    more = text.more()
    if options.dictionary is not None:
        entries = text.dictionary()
        first.append(entries)
        more |= {f"dictionary_{side}": entries[side] for side in SIDES}
    uses_all = _uses_all(options, sets)
    tokens = text.tokenize(train, sets, more, keeps_matches=not uses_all)
    joined = [text.join(tokens)] if options.extra_bitext else []
    both: Inputs = {side: (joined[0] if joined else tokens)[side] for side in SIDES}
    made = models.all(both, tokens)
    if options.chooses_search:  # what comes after depends on the choice
        needed = [made[name] for name in ("align", "sample", "lm") if name in made]
        return [*first, tokens, *joined, *needed, systems.choose_search(tokens, made)]
    rehearsal = models.without_tuning_pairs(both, tokens, made) if options.tuning_pairs else {}
    tune = systems.tune(tokens, made | rehearsal)
    system = systems.put_together(tokens, tables(made), tune, "work/system" if uses_all else "system")
    contexts = text.contexts(train, tokens)
    near = systems.near_matches(both, tokens, made, system)
    confidence = systems.calibrate(system, sets, tokens)
    half = systems.half(system, both, made, sets)
    evaluate = systems.evaluate([system, near, confidence, *half], sets, tokens, train, clean)
    last = [systems.from_all(train, both, tokens, made, system)] if uses_all else []
    judged = [tune, system, near, confidence, *half, evaluate, *last]
    return [*first, tokens, *contexts, *joined, *made.values(), *rehearsal.values(), *judged]


def _uses_all(options: TrainOptions, sets: Inputs) -> bool:
    """Whether the finished system is made from all pairs, with those that were set aside."""
    aside = any(isinstance(item, Output) for item in sets.values())
    return options.all_pairs and aside and not options.adapt_to and options.learner_name != RELEVANT_SET
