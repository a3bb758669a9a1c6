"""Learning a vocabulary: from documents to counts of pretokens, from counts to merges."""

from tokenloom.trainers.bpe import BpeTraining, MergeStep, train_on_counts
from tokenloom.trainers.bpe_options import BpeOptions, Pattern, TieBreak
from tokenloom.trainers.character_alphabet import CharacterAlphabet, EndOfWord, words_pretokenizer
from tokenloom.trainers.closed_characters import closed_characters_spec
from tokenloom.trainers.count_files import (
    COUNTS_KIND,
    MOST_TOLD_COUNT,
    CountHeader,
    count_histogram,
    load_counts,
    merge_count_files,
    read_count_header,
)
from tokenloom.trainers.count_options import MOST_COUNTED, CountOptions
from tokenloom.trainers.counts import Document, Progress, count_pretokens, pretoken_counts
from tokenloom.trainers.merge_journal import MergeJournal
from tokenloom.trainers.normalizing import ChangedCharacter, NormalizerChanges
from tokenloom.trainers.record_file import open_record
from tokenloom.trainers.recorded_text import Segmentation, segmentation_at, segmentations
from tokenloom.trainers.recorder import counts_checksum, record_training
from tokenloom.trainers.spilling import count_to_file
from tokenloom.trainers.training_record import RECORD_KIND, RecordHeader, TrainingRecord
from tokenloom.trainers.unigram import UnigramOptions, UnigramRound, UnigramTraining, train_unigram_on_counts
from tokenloom.trainers.vocabulary_limit import VocabularyLimit
from tokenloom.trainers.word_counts import read_word_counts
from tokenloom.trainers.wordpiece import (
    BERT_TOKENS,
    WordpieceOptions,
    WordpieceStep,
    WordpieceTraining,
    train_wordpiece_on_counts,
)
from tokenloom.trainers.words import WORDS, WordOptions, WordTraining, train_words_on_counts

__all__ = [
    "BERT_TOKENS",
    "COUNTS_KIND",
    "MOST_COUNTED",
    "MOST_TOLD_COUNT",
    "RECORD_KIND",
    "WORDS",
    "BpeOptions",
    "BpeTraining",
    "ChangedCharacter",
    "CharacterAlphabet",
    "CountHeader",
    "CountOptions",
    "Document",
    "EndOfWord",
    "MergeJournal",
    "MergeStep",
    "NormalizerChanges",
    "Pattern",
    "Progress",
    "RecordHeader",
    "Segmentation",
    "TieBreak",
    "TrainingRecord",
    "UnigramOptions",
    "UnigramRound",
    "UnigramTraining",
    "VocabularyLimit",
    "WordOptions",
    "WordTraining",
    "WordpieceOptions",
    "WordpieceStep",
    "WordpieceTraining",
    "closed_characters_spec",
    "count_histogram",
    "count_pretokens",
    "count_to_file",
    "counts_checksum",
    "load_counts",
    "merge_count_files",
    "open_record",
    "pretoken_counts",
    "read_count_header",
    "read_word_counts",
    "record_training",
    "segmentation_at",
    "segmentations",
    "train_on_counts",
    "train_unigram_on_counts",
    "train_wordpiece_on_counts",
    "train_words_on_counts",
    "words_pretokenizer",
]
