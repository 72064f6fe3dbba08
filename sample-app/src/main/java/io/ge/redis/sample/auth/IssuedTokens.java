// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.auth;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a login, and to a refresh.
 *
 * @param accessToken a signed JWT, to be sent as {@code Authorization: Bearer ...}
 * @param refreshToken opaque, for one use at {@code /api/auth/refresh}, and never
 * accepted as an access token; {@code null} if the login was made without Redis
 * @param tokenType always {@code Bearer}
 * @param expiresIn life of the access token, in seconds
 */
record IssuedTokens(String accessToken, @Nullable String refreshToken, String tokenType, long expiresIn) {

}
