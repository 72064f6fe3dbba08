/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.readme;

import io.ge.redis.blacklist.BlacklistCheck;

import org.springframework.security.core.Authentication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class AccountController {

	@BlacklistCheck
	@GetMapping("/api/me")
	public String me(Authentication caller) {
		return caller.getName();
	}

}
