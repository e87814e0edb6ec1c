// Opening, reading and answering; see lesson_player.h. lesson_player_stage.cpp computes the
// blocks, lesson_player_list.cpp reads the lists of lessons.
#include "viz/window/lesson_player.h"

#include <algorithm>

#include "lessons/engine/course.h"
#include "sim/error.h"
#include "viz/terminal/problem_options.h"

namespace flashscope::window {
namespace {

using namespace lessons;

// Settings as one text, to compare them.
std::string text_of(const ProblemOptions& options) {
  std::string text;
  for (const std::string& word : problem_arguments(options)) text += word + '\n';
  return text + options.table.value_or("");
}

// Whether what a block shows or asks depends on the scenario that is open.
bool looks(const Block& block) {
  return std::holds_alternative<StopBlock>(block) || std::holds_alternative<QuizBlock>(block) ||
         std::holds_alternative<TaskBlock>(block) || std::holds_alternative<FigureBlock>(block);
}

int line_of(const Block& block) {
  if (const auto* quiz = std::get_if<QuizBlock>(&block)) return quiz->line;
  if (const auto* task = std::get_if<TaskBlock>(&block)) return task->line;
  return 0;
}

// Anything but headings of sections, which are drawn as their titles.
bool has_content(const Lesson& lesson) {
  return std::ranges::any_of(lesson.blocks, [](const Block& block) {
    const auto* const prose = std::get_if<Prose>(&block);
    return prose == nullptr || std::ranges::any_of(prose->blocks, [](const TextBlock& text) {
             return text.kind != TextBlock::Kind::heading || text.level > 2;
           });
  });
}

}  // namespace

LessonPlayer::LessonPlayer(const std::filesystem::path& progress)
    : progress_(progress), note_(progress_.note()) {
  read_course();
}

LessonPlayer::~LessonPlayer() = default;

void LessonPlayer::open(const std::string& which) {
  auto lesson = std::make_unique<Lesson>(load_lesson(which));
  if (!has_content(*lesson)) throw Error(lesson->file + ": the lesson has no text");
  close();
  finished_title_.clear();
  std::error_code failed;
  const std::filesystem::path file = std::filesystem::absolute(lesson->file, failed);
  if (!failed && std::filesystem::is_regular_file(file, failed)) read_own(file.parent_path());
  lesson_ = std::move(lesson);
  stage_ = std::make_unique<lessons::Stage>(*lesson_);
  divide();
  const LessonProgress& kept = mine();
  for (std::size_t n = 0; n < played_.size(); ++n) {
    const auto answer = kept.answers.find(line_of(lesson_->blocks[n]));
    // What was answered wrong or left open is asked again; the score is that of the first time.
    if (answer != kept.answers.end()) played_[n].done = answer->second;
  }
  std::size_t section = 0;
  for (std::size_t n = 0; n < sections_.size(); ++n) {
    const int first = first_block(n);
    if (first <= kept.block && first > first_block(section)) section = n;
  }
  show_section(section);
}

void LessonPlayer::close() {
  stage_.reset();
  lesson_.reset();
  sections_.clear();
  played_.clear();
  tasks_.clear();
  next_block_ = section_ = 0;
  wanted_scenario_.reset();
  opened_.reset();
  last_stop_.reset();
  watched_program_ = watched_state_ = 0;
}

// Into sections, and which scenario is open where.
void LessonPlayer::divide() {
  played_.resize(lesson_->blocks.size());
  sections_ = {{lesson_->title, {}, {}}};
  std::optional<std::size_t> scenario;
  bool looked = false;
  const auto add = [&](const LessonSection::Item& item) {
    if (!looked) sections_.back().scenario = scenario;
    sections_.back().items.push_back(item);
  };
  for (std::size_t n = 0; n < lesson_->blocks.size(); ++n) {
    const Block& block = lesson_->blocks[n];
    const auto* opened = std::get_if<ScenarioBlock>(&block);
    if (opened != nullptr && opened->opens) scenario = n;
    played_[n].scenario = scenario;
    const auto* prose = std::get_if<Prose>(&block);
    if (prose == nullptr) {
      add({n, 0, 0});
      looked = looked || looks(block);
      continue;
    }
    std::size_t begin = 0;
    const std::vector<TextBlock>& texts = prose->blocks;
    for (std::size_t at = 0; at < texts.size(); ++at) {
      if (texts[at].kind != TextBlock::Kind::heading || texts[at].level > 2) continue;
      if (at > begin) add({n, begin, at});
      begin = at + 1;  // the heading is the section's title
      if (sections_.back().items.empty()) sections_.pop_back();
      sections_.push_back({plain_text(texts[at].text), {}, {}});
      looked = false;
    }
    if (texts.size() > begin) add({n, begin, texts.size()});
  }
  if (sections_.back().items.empty()) sections_.pop_back();
}

// The first block that begins in the section: a section may begin in the middle of a prose.
int LessonPlayer::first_block(std::size_t section) const {
  const std::size_t block = sections_[section].items.front().block;
  const bool shared = section > 0 && sections_[section - 1].items.back().block == block;
  return static_cast<int>(block) + (shared ? 1 : 0);
}

void LessonPlayer::show_section(std::size_t section) {
  section_ = std::min(section, sections_.size() - 1);
  mine().block = first_block(section_);
  wanted_scenario_ = sections_[section_].scenario;
  if (wanted_scenario_ == opened_) wanted_scenario_.reset();
  keep();
}

void LessonPlayer::finish() {
  mine().finished = true;
  mine().block = 0;
  keep();
  finished_title_ = lesson_->title;
  close();
}

bool LessonPlayer::holds_back(std::size_t block) const {
  const Played& played = played_[block];
  return std::holds_alternative<QuizBlock>(lesson_->blocks[block]) && played.error.empty() &&
         !played.done;
}

void LessonPlayer::answered(int line, bool right, bool is_quiz) {
  mine().answer(line, right, is_quiz);
  keep();
}

void LessonPlayer::choose(std::size_t block, std::size_t option) {
  Played& played = played_[block];
  if (!played.quiz || option >= played.quiz->options.size()) return;
  const bool right = option == played.quiz->right;
  if (std::ranges::find(played.chosen, option) == played.chosen.end()) {
    played.chosen.push_back(option);
  }
  played.done = played.done || right;
  answered(line_of(lesson_->blocks[block]), right, true);
}

void LessonPlayer::show_answer(std::size_t block) {
  if (!played_[block].quiz) return;
  played_[block].done = true;
  answered(line_of(lesson_->blocks[block]), false, true);
}

void LessonPlayer::show_hint(std::size_t block) { played_[block].hinted = true; }

std::optional<std::size_t> LessonPlayer::next_stop() const {
  for (const LessonSection::Item& item : sections_[section_].items) {
    const Played& played = played_[item.block];
    if (std::holds_alternative<StopBlock>(lesson_->blocks[item.block]) && played.ready &&
        played.error.empty() && !played.visited) {
      return item.block;
    }
    if (holds_back(item.block)) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::size_t> LessonPlayer::take_scenario() {
  if (!wanted_scenario_ || !played_[*wanted_scenario_].ready) return std::nullopt;
  const std::optional<std::size_t> scenario = std::exchange(wanted_scenario_, std::nullopt);
  return played_[*scenario].error.empty() ? scenario : std::nullopt;
}

bool LessonPlayer::is_scenario(std::size_t block, const ProblemOptions& options) const {
  const std::string text = text_of(options);
  return (opened_ == block && text == opened_options_) || text == text_of(played_[block].options);
}

void LessonPlayer::scenario_opened(std::size_t block, const ProblemOptions& options) {
  opened_ = block;
  played_[block].refused.clear();
  opened_options_ = text_of(options);
  if (wanted_scenario_ == block) wanted_scenario_.reset();
}

void LessonPlayer::scenario_refused(std::size_t block, const std::string& why) {
  played_[block].refused = why;
}

void LessonPlayer::stop_visited(std::size_t block) {
  played_[block].visited = true;
  last_stop_ = block;
}

void LessonPlayer::keep() {
  shown_progress_ = mine();
  try {
    progress_.keep();
  } catch (const Error& error) {
    note_ = error.what();
  }
  mark_course();
}

}  // namespace flashscope::window
