// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.ge.redis.Window;
import io.ge.redis.bloom.BloomFilters;
import io.ge.redis.core.structure.ReactiveCalls;
import io.ge.redis.counter.UniqueCounters;
import io.ge.redis.geo.GeoIndexes;
import io.ge.redis.geo.GeoMember;
import io.ge.redis.geo.GeoPoint;
import io.ge.redis.hash.HashStore;
import io.ge.redis.leaderboard.Leaderboards;
import io.ge.redis.leaderboard.RankedMember;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The code of the pages on structures.
 */
class StructureExamples {

	private final Leaderboards leaderboards;

	private final UniqueCounters counters;

	private final BloomFilters filters;

	private final GeoIndexes indexes;

	private final HashStore store;

	StructureExamples(Leaderboards leaderboards, UniqueCounters counters, BloomFilters filters, GeoIndexes indexes,
			HashStore store) {
		this.leaderboards = leaderboards;
		this.counters = counters;
		this.filters = filters;
		this.indexes = indexes;
		this.store = store;
	}

	// @formatter:off
	public List<RankedMember> leaderboard() {
		double score = this.leaderboards.add("completions", "planner", 1);
		this.leaderboards.submitBest("completions", "coder", 42);

		List<RankedMember> today = this.leaderboards.top("completions", Window.DAY, 10);
		List<RankedMember> near = this.leaderboards.around("completions", Window.NONE, "planner", 2);
		Optional<RankedMember> rank = this.leaderboards.rank("completions", Window.NONE, "planner");
		Optional<Double> percent = this.leaderboards.percentile("completions", Window.NONE, "planner");
		return today;
	}

	public Mono<Double> complete(String agent) {
		return ReactiveCalls.mono(() -> this.leaderboards.addAsync("completions", agent, 1));
	}

	public long visits() {
		this.counters.add("visits", "alice");
		long today = this.counters.count("visits");
		long thisWeek = this.counters.count("visits", 7);
		return thisWeek;
	}

	public boolean mail() {
		boolean first = this.filters.add("mails", "a@b.c");
		boolean known = this.filters.mightContain("mails", "a@b.c");
		return first && known;
	}

	public List<GeoMember> desks() {
		this.indexes.put("desks", "window seat", new GeoPoint(13.405, 52.52));
		List<GeoMember> near = this.indexes.nearest("desks", new GeoPoint(13.4, 52.5), 5, 10);
		return near;
	}

	public Optional<AgentState> state() {
		this.store.put("agents", "planner", new AgentState("working", "GE-42", 0));
		this.store.put("agents", "planner", Map.of("status", "idle"));
		long steps = this.store.increment("agents", "planner", "steps", 1);
		Optional<AgentState> state = this.store.get("agents", "planner", AgentState.class);
		return state;
	}

	public Optional<AgentState> expired() {
		this.store.put("agents", "planner", Map.of("status", "idle"));
		Optional<AgentState> state = this.store.get("agents", "planner", AgentState.class);
		return state;
	}

	public Map<String, AgentState> bulk(Map<String, Double> points, Map<String, GeoPoint> places) {
		List<String> agents = List.of("planner", "coder");
		Map<String, AgentState> states = this.store.getAll("agents", agents, AgentState.class);
		Map<String, AgentState> status = this.store.getAll("agents", agents, AgentState.class, "status");
		Map<String, Double> scores = this.leaderboards.addAll("completions", points);
		Map<String, RankedMember> ranks = this.leaderboards.ranks("completions", Window.NONE, agents);
		Set<String> newDesks = this.indexes.putAll("desks", places);
		return status;
	}

	public List<Optional<RankedMember>> together() {
		List<CompletableFuture<Optional<RankedMember>>> calls = Stream.of("completions", "reviews")
			.map((board) -> this.leaderboards.rankAsync(board, Window.NONE, "planner"))
			.toList();
		CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).join();
		return calls.stream().map(CompletableFuture::join).toList();
	}

	public Flux<Optional<RankedMember>> reactive() {
		return Flux.just("completions", "reviews")
			.flatMapSequential((board) -> ReactiveCalls.mono(() -> this.leaderboards.rankAsync(board, Window.NONE, "planner")));
	}

	record AgentState(String status, String currentTask, long steps) {
	}
	// @formatter:on

}
