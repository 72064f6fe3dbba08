// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

/**
 * The status of a token. All but {@link #CLEAR} refuse it.
 */
public enum TokenStatus {

	/** The token is not revoked. */
	CLEAR("The token is not revoked"),

	/** The token was revoked. */
	REVOKED("The token was revoked"),

	/** All tokens of its subject were revoked, and this one is not proven younger. */
	SUBJECT_REVOKED("All tokens of the subject were revoked"),

	/** The session it belongs to was ended. */
	SESSION_REVOKED("The session of the token was ended"),

	/** All tokens of its client were revoked, and this one is not proven younger. */
	CLIENT_REVOKED("All tokens of the client were revoked"),

	/**
	 * It has expired beyond the allowed clock skew, or is older than any token may be:
	 * its revocation may be forgotten already.
	 */
	EXPIRED("The token has expired"),

	/** It has no id, so it could never be revoked. */
	UNIDENTIFIED("The token has no jti claim and could not be revoked");

	private final String description;

	TokenStatus(String description) {
		this.description = description;
	}

	/**
	 * Returns the status in words, fit for {@code error_description}.
	 * @return one sentence without quotes or full stop
	 */
	public String description() {
		return this.description;
	}

}
