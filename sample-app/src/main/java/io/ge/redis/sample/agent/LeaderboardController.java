// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.agent;

import java.util.List;

import io.ge.redis.Window;
import io.ge.redis.leaderboard.Leaderboards;
import io.ge.redis.leaderboard.RankedMember;
import io.ge.redis.sample.Inputs;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Ranks agents by what they have completed.
 */
@RestController
class LeaderboardController {

	/** The name of the board in {@code application.yml}. */
	private static final String COMPLETIONS = "completions";

	private static final int MOST_AGENTS = 1000;

	private final Leaderboards leaderboards;

	LeaderboardController(Leaderboards leaderboards) {
		this.leaderboards = leaderboards;
	}

	@PostMapping("/api/agents/{agent}/completions")
	RankedAgent complete(@PathVariable String agent) {
		double completed = Inputs.checked(() -> this.leaderboards.add(COMPLETIONS, agent, 1));
		RankedMember now = this.leaderboards.rank(COMPLETIONS, Window.NONE, agent).orElseThrow();
		return new RankedAgent(agent, (long) completed, now.rank());
	}

	@GetMapping("/api/leaderboard")
	List<RankedAgent> top(@RequestParam(defaultValue = "10") int top) {
		Inputs.requireRange("top", top, 1, MOST_AGENTS);
		return this.leaderboards.top(COMPLETIONS, Window.NONE, top).stream().map(RankedAgent::of).toList();
	}

	@GetMapping("/api/leaderboard/{agent}")
	List<RankedAgent> around(@PathVariable String agent, @RequestParam(defaultValue = "2") int around) {
		Inputs.requireRange("around", around, 0, MOST_AGENTS);
		List<RankedMember> members = Inputs
			.checked(() -> this.leaderboards.around(COMPLETIONS, Window.NONE, agent, around));
		if (members.isEmpty()) {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND, "The agent has completed nothing");
		}
		return members.stream().map(RankedAgent::of).toList();
	}

	record RankedAgent(String agent, long completed, long rank) {

		static RankedAgent of(RankedMember member) {
			return new RankedAgent(member.member(), (long) member.score(), member.rank());
		}

	}

}
