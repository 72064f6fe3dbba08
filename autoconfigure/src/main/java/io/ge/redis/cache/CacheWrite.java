/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.time.Duration;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * One writer of one entry, from its call to its end. Confined to the thread of the
 * caller.
 */
final class CacheWrite {

	private final CacheKey key;

	private final String id;

	private final Duration useful;

	private final TransactionBoundary boundary;

	private final CallBudget budget;

	/** The transaction at whose end the value is published, if not at the return. */
	@Nullable OpenTransaction owner;

	/** Transactions that were committed while the writer ran. */
	int commits;

	/** Transactions that were rolled back while the writer ran. */
	int rollbacks;

	/** When the announcement was made, as of the system's nano time. */
	long announcedAt;

	private Announcement announcement = Announcement.NONE;

	private boolean ordered;

	private @Nullable NewValue value;

	CacheWrite(CacheKey key, String id, Duration useful, TransactionBoundary boundary, CallBudget budget) {
		this.key = key;
		this.id = id;
		this.useful = useful;
		this.boundary = boundary;
		this.budget = budget;
	}

	CacheKey key() {
		return this.key;
	}

	String id() {
		return this.id;
	}

	/**
	 * Returns how long an old value can stay in Redis.
	 */
	Duration useful() {
		return this.useful;
	}

	TransactionBoundary boundary() {
		return this.boundary;
	}

	CallBudget budget() {
		return this.budget;
	}

	/**
	 * Returns the value to publish, or {@code null} if the entry is to be removed.
	 */
	@Nullable NewValue value() {
		return this.value;
	}

	void value(@Nullable NewValue value) {
		this.value = value;
	}

	void announced(boolean locked) {
		this.announcement = Announcement.STANDS;
		this.ordered = locked;
	}

	void announcementFailed(boolean outcomeUnknown) {
		this.announcement = outcomeUnknown ? Announcement.UNKNOWN : Announcement.FAILED;
	}

	/**
	 * Returns whether no announcement was tried.
	 */
	boolean isSilent() {
		return this.announcement == Announcement.NONE;
	}

	boolean isAnnounced() {
		return this.announcement == Announcement.STANDS;
	}

	/**
	 * Returns whether an announcement was tried in vain.
	 */
	boolean isUnannounced() {
		return this.announcement == Announcement.FAILED || this.announcement == Announcement.UNKNOWN;
	}

	boolean isPerhapsAnnounced() {
		return this.announcement == Announcement.UNKNOWN;
	}

	/**
	 * Returns whether it was announced while the row was locked, so that its place among
	 * the commits is known.
	 */
	boolean isOrdered() {
		return this.ordered;
	}

	/**
	 * A value to publish.
	 *
	 * @param bytes the value
	 * @param ttl how long it stays
	 */
	record NewValue(byte[] bytes, Duration ttl) {
	}

	private enum Announcement {

		NONE, STANDS, FAILED, UNKNOWN

	}

}
