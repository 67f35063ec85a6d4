/* lex.cc -- PTX text to tokens: names, numbers, strings; every other character is a token.
 *
 * A name includes its dots, so "ld.global.u32" and ".reg" are one token each; "@%p1" is two.
 */
#include <ctype.h>

#include <stdexcept>

#include "tests/ptx/parse.h"

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

/* The end of a comment that starts at `at`, or `at` if none does.  Counts lines. */
static size_t skip_comment(const std::string &text, size_t at, uint32_t *line)
{
	size_t end;

	if (text.compare(at, 2, "//") == 0) {
		end = text.find('\n', at);
		return end == std::string::npos ? text.size() : end;
	}
	if (text.compare(at, 2, "/*") != 0)
		return at;
	end = text.find("*/", at + 2);
	if (end == std::string::npos)
		throw std::runtime_error("comment without an end");
	for (size_t i = at; i < end; i++)
		*line += text[i] == '\n';
	return end + 2;
}

static size_t end_of_name(const std::string &text, size_t at)
{
	while (at < text.size()) {
		if (in_name(text[at]))
			at++;
		else if (text.compare(at, 2, "::") == 0)
			at += 2;
		else
			break;
	}
	return at;
}

std::vector<struct token> tokens_of(const std::string &text)
{
	const std::string_view all = text;
	std::vector<struct token> tokens;
	uint32_t line = 1;

	tokens.reserve(text.size() / 5);
	for (size_t at = 0, end; at < text.size(); at = end) {
		const char c = text[at];

		end = skip_comment(text, at, &line);
		if (end != at)
			continue;
		if (isspace((unsigned char)c)) {
			line += c == '\n';
			end = at + 1;
			continue;
		}
		if (c == '"') {
			end = text.find('"', at + 1);
			if (end == std::string::npos)
				throw std::runtime_error("string without an end");
			end++;
		} else {
			end = in_name(c) ? end_of_name(text, at) : at + 1;
		}
		tokens.push_back({ all.substr(at, end - at), line });
	}
	tokens.insert(tokens.end(), 3, { {}, line });
	return tokens;
}
