// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.system;

import io.ge.redis.broadcast.Broadcaster;
import io.ge.redis.sample.system.HaltSwitch.Halt;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Halts the agents of all instances, and lets them go on.
 */
@RestController
class SystemController {

	private final Broadcaster broadcaster;

	private final HaltSwitch halt;

	SystemController(Broadcaster broadcaster, HaltSwitch halt) {
		this.broadcaster = broadcaster;
		this.halt = halt;
	}

	@PostMapping("/api/system/halt")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void halt() {
		this.broadcaster.publish(HaltSwitch.CHANNEL, new Halt(true));
	}

	@PostMapping("/api/system/resume")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void resume() {
		this.broadcaster.publish(HaltSwitch.CHANNEL, new Halt(false));
	}

	@GetMapping("/api/system/status")
	Status status() {
		return new Status(this.halt.isHalted());
	}

	record Status(boolean halted) {

	}

}
