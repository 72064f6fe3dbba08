/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import io.ge.redis.core.invocation.PrincipalProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Names the user of the current request, as the container or a filter has authenticated
 * it.
 */
public class ServletPrincipalProvider implements PrincipalProvider {

	@Override
	public @Nullable String currentPrincipal() {
		if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes) {
			return PrincipalProvider.nameOf(attributes.getRequest().getUserPrincipal());
		}
		return null;
	}

}
