#include "laxity/metrics/run_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "laxity/metrics/tables.hpp"

namespace laxity {
namespace {

using Json = nlohmann::ordered_json;

std::span<const TableDescription* const> tables_of(std::string_view kind) {
  const auto found = std::ranges::find(tables::kinds, kind, &StudyKind::name);
  LAXITY_CHECK(found != std::ranges::end(tables::kinds));
  return found->tables;
}

Json json_of(const Configuration& configuration) {
  Json json = Json::object();
  for (const auto& [name, value] : configuration)
    std::visit([&, &key = name](const auto& held) { json[key] = held; }, value);
  return json;
}

Json json_of(const Manifest& manifest) {
  Json json = {{"format", tables::format},
               {"kind", manifest.kind},
               {"name", manifest.name},
               {"status", manifest.status},
               {"command_line", manifest.command_line},
               {"seed", manifest.seed},
               {"configuration", json_of(manifest.configuration)},
               {"versions", manifest.versions},
               {"git_commit", manifest.git_commit},
               {"host", manifest.host},
               {"cpu_model", manifest.cpu_model},
               {"cores", manifest.cores},
               {"placement", manifest.placement},
               {"start", manifest.start},
               {"end", manifest.end}};
  if (!manifest.reason.empty()) json["reason"] = manifest.reason;
  if (!manifest.hosts.empty()) json["hosts"] = manifest.hosts;
  return json;
}

Json read_manifest(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw SystemError("open(" + path.string() + ")", errno);
  try {
    Json json = Json::parse(file);
    if (json.is_object() && json.value("format", 0) == tables::format) return json;
  } catch (const nlohmann::json::exception&) {
    // said below
  }
  throw UsageError(path.string() + ": not a manifest of this version of laxity; choose another output directory");
}

// The first difference between two configurations in words; empty if there is none.
std::string difference(const Json& old, const Json& fresh) {
  if (!old.is_object()) return "the configuration is missing";
  for (const auto& [key, value] : fresh.items()) {
    if (!old.contains(key)) return key + " was not an option then";
    if (old[key] != value) return key + " was " + old[key].dump() + ", now " + value.dump();
  }
  for (const auto& [key, value] : old.items())
    if (!fresh.contains(key)) return key + " is no option now";
  return {};
}

std::int64_t number_in(const std::string& text) {
  std::int64_t number = -1;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc{} && end == text.data() + text.size() ? number : -1;
}

std::size_t column_of(const std::vector<std::string>& header, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(header, name) - header.begin());
}

std::set<std::int64_t> runs_done_in(const std::filesystem::path& table) {
  std::set<std::int64_t> done;
  const auto rows = read_csv(table);
  if (rows.empty()) return done;
  const std::size_t run = column_of(rows[0], "run"), status = column_of(rows[0], "status");
  for (std::size_t row = 1; row < rows.size(); ++row)
    if (rows[row].size() == rows[0].size() && status < rows[row].size() && run < rows[row].size() &&
        rows[row][status] == "done")
      done.insert(number_in(rows[row][run]));
  return done;
}

// Rewrites a table with only the rows of the runs in `keep`.
void keep_runs(const std::filesystem::path& table, const std::set<std::int64_t>& keep) {
  const auto rows = read_csv(table);
  if (rows.empty()) return;
  const std::size_t run = column_of(rows[0], "run");
  std::string content;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (row > 0 && (rows[row].size() != rows[0].size() || !keep.contains(number_in(rows[row].at(run))))) continue;
    for (const std::string& value : rows[row]) {
      content += cell(value);
      content += ',';
    }
    content.back() = '\n';
  }
  replace_file(table, content);
}

}  // namespace

RunDirectory::RunDirectory(std::filesystem::path path, Manifest manifest)
    : path_(std::move(path)), manifest_(std::move(manifest)), tables_(tables_of(manifest_.kind)) {
  std::error_code fault;
  std::filesystem::create_directories(path_, fault);
  if (fault) throw SystemError("mkdir(" + path_.string() + ")", fault.value());
  const bool resumes = std::filesystem::exists(path_ / "manifest.json");
  if (!resumes)
    for (const TableDescription* table : tables_)
      if (std::filesystem::exists(path_ / table->file))
        throw UsageError(path_.string() + ": has " + std::string(table->file) +
                         " but no manifest.json; choose another output directory");
  lock();
  if (resumes) resume();
  write_manifest();
}

RunDirectory::~RunDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

// The lock is on the directory itself, so that it leaves no file behind and ends with the process, however that ends.
void RunDirectory::lock() {
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) throw SystemError("open(" + path_.string() + ")", errno);
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
  const int error_number = errno;
  ::close(std::exchange(lock_, -1));
  if (error_number == EWOULDBLOCK)
    throw UsageError(path_.string() +
                     ": another laxity is writing here; wait for it or choose another output directory");
  throw SystemError("flock(" + path_.string() + ")", error_number);
}

void RunDirectory::resume() {
  const Json old = read_manifest(path_ / "manifest.json");
  const Json fresh = json_of(manifest_);
  std::string differs = difference(old.value("configuration", Json()), fresh["configuration"]);
  for (const char* const key : {"seed", "kind"})
    if (differs.empty() && old.value(key, Json()) != fresh[key])
      differs = std::string(key) + " was " + old.value(key, Json()).dump() + ", now " + fresh[key].dump();
  if (!differs.empty())
    throw UsageError(path_.string() + ": holds another study (" + differs +
                     "); choose another output directory, or repeat the old options to resume it");
  manifest_.start = old.value("start", manifest_.start);
  manifest_.placement = old.value("placement", manifest_.placement);
  runs_done_ = runs_done_in(path_ / "runs.csv");
  for (const TableDescription* table : tables_) keep_runs(path_ / table->file, runs_done_);
}

void RunDirectory::write_manifest() const { replace_file(path_ / "manifest.json", json_of(manifest_).dump(2) + '\n'); }

void RunDirectory::note_placement(std::string_view line) {
  if (std::ranges::find(manifest_.placement, line) != manifest_.placement.end()) return;
  manifest_.placement.emplace_back(line);
  write_manifest();
}

void RunDirectory::finish(std::string_view status, std::string_view reason) {
  manifest_.status = status;
  manifest_.reason = reason;
  manifest_.end = utc_now();
  write_manifest();
}

bool is_done_study(const std::filesystem::path& directory) {
  std::ifstream file(directory / "manifest.json");
  const Json manifest = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  return manifest.is_object() && manifest.value("status", "") == "done";
}

}  // namespace laxity
