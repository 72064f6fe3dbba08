/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.cors;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Knows what handles CORS for requests behind the filters of the library.
 */
@FunctionalInterface
public interface CorsFilters {

	/**
	 * Returns the filter, or {@code null} if there is none for this request.
	 */
	@Nullable Filter find(HttpServletRequest request);

}
