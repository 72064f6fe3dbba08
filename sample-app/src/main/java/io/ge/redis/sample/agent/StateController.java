// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.agent;

import io.ge.redis.hash.HashStore;
import io.ge.redis.sample.Inputs;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Keeps the states of agents.
 */
@RestController
@RequestMapping("/api/agents/{agent}/state")
class StateController {

	/** The name of the store in {@code application.yml}. */
	private static final String AGENTS = "agents";

	private final HashStore states;

	StateController(HashStore states) {
		this.states = states;
	}

	/**
	 * Writes the fields of the body; others stay as they are, and {@code null} removes
	 * one.
	 */
	@PutMapping
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void put(@PathVariable String agent, @RequestBody ObjectNode state) {
		Inputs.checked(() -> this.states.put(AGENTS, agent, state));
	}

	/**
	 * Reads no more than is asked for, all if nothing is. Fields that the state does not
	 * have are left out.
	 */
	@GetMapping
	ObjectNode get(@PathVariable String agent, @RequestParam(defaultValue = "") String[] fields) {
		return Inputs.checked(() -> this.states.get(AGENTS, agent, ObjectNode.class, fields))
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "The agent has no state"));
	}

}
