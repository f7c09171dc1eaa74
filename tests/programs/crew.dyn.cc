// SPDX-License-Identifier: BSD-2-Clause
/*
 * crew [THREADS [MS]]
 *
 * A C++ program as people write them: threads that sort, look up, call virtual functions and lambdas, and throw
 * exceptions, for MS (1000) ms of processor time each. Compiled with -O2 as Debian does. Prints "did crew THREADS".
 */
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{
std::atomic<long> total;

struct Task {
	virtual ~Task() = default;
	virtual long work(int n) = 0;
};

struct Sorting : Task {
	long work(int n) override
	{
		std::vector<std::string> words;

		for (int i = 0; i < n; i++)
			words.push_back(std::to_string(i * 7919 % 1000));
		std::sort(words.begin(), words.end(), [](auto &a, auto &b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
		return words.front().size();
	}
};

struct Counting : Task {
	long work(int n) override
	{
		std::map<std::string, int> counts;

		for (int i = 0; i < n; i++)
			counts["key " + std::to_string(i % 97)]++;
		return counts.size();
	}
};

struct Throwing : Task {
	static long fail(int n)
	{
		if (n == 0)
			throw std::runtime_error("at the end");
		return fail(n - 1) + 1;
	}

	long work(int n) override
	{
		try {
			return fail(n % 20);
		} catch (const std::exception &e) {
			return e.what()[0];
		}
	}
};

struct Printing : Task {
	long work(int n) override
	{
		std::ostringstream out;

		for (int i = 0; i < n; i++)
			out << i << ' ' << i * 0.5 << '\n';
		return out.str().size();
	}
};

struct Matching : Task {
	long work(int n) override
	{
		static const std::regex pattern("([a-z]+)=([0-9]+)");
		std::string text = "name=" + std::to_string(n);
		std::smatch match;

		return std::regex_match(text, match, pattern) ? match[2].length() : 0;
	}
};

long spent()
{
	timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void work(const std::vector<std::function<long(int)>> &tasks, long ms)
{
	for (long end = spent() + ms, n = 100; spent() < end; n = 100 + n % 100 + 1)
		for (auto &task : tasks)
			total += task(n);
}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? std::atoi(argv[1]) : 2;
	long ms = argc > 2 ? std::atoi(argv[2]) : 1000;
	std::vector<std::shared_ptr<Task>> all{ std::make_shared<Sorting>(), std::make_shared<Counting>(),
						std::make_shared<Throwing>(), std::make_shared<Printing>(),
						std::make_shared<Matching>() };
	std::vector<std::function<long(int)>> tasks;
	std::vector<std::thread> threads;

	for (auto &task : all)
		tasks.push_back([task](int n) { return task->work(n); });
	for (int i = 0; i < n; i++)
		threads.emplace_back(work, std::cref(tasks), ms);
	for (auto &thread : threads)
		thread.join();
	std::printf("did crew %d\n", n);
	return total == 0;
}
