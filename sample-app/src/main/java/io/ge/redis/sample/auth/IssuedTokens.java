/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.sample.auth;

/**
 * The answer to a login.
 *
 * @param accessToken a signed JWT, to be sent as {@code Authorization: Bearer ...}
 * @param refreshToken opaque, and never accepted as an access token
 * @param tokenType always {@code Bearer}
 * @param expiresIn life of the access token, in seconds
 */
record IssuedTokens(String accessToken, String refreshToken, String tokenType, long expiresIn) {

}
