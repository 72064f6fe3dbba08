// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import io.ge.redis.GeRedisException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.blacklist.TokenStatus;

import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2ErrorCodes;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

final class RefusedTokens {

	private static final boolean webPresent = ClassUtils.isPresent(
			"org.springframework.web.context.request.RequestContextHolder", RefusedTokens.class.getClassLoader());

	private static final String ERROR_URI = "https://tools.ietf.org/html/rfc6750#section-3.1";

	private RefusedTokens() {
	}

	static OAuth2Error error(TokenStatus status) {
		return new OAuth2Error(OAuth2ErrorCodes.INVALID_TOKEN, status.description(), ERROR_URI);
	}

	static void note(TokenStatus status) {
		note(new TokenRevokedException(TokenBlacklist.TOKENS, status));
	}

	/**
	 * Notes the refusal that explains a 401 without a body.
	 */
	static void note(GeRedisException refusal) {
		RequestAttributes request = webPresent ? RequestContextHolder.getRequestAttributes() : null;
		if (request != null) {
			request.setAttribute(GeRedisException.class.getName(), refusal, RequestAttributes.SCOPE_REQUEST);
		}
	}

}
