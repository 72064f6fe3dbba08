// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session.internal;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import io.ge.redis.core.ProcessClock;
import io.ge.redis.session.Sessions;
import org.jspecify.annotations.Nullable;

import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.PrincipalNameIndexResolver;
import org.springframework.session.ReactiveFindByIndexNameSessionRepository;
import org.springframework.session.Session;
import org.springframework.util.Assert;

/**
 * A session as one request sees it: what was loaded, and what the request has changed.
 * Not safe for use by several threads at once.
 */
final class StoredSession implements Session {

	private static final List<String> PRINCIPAL_NAMES = List.of(
			FindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME,
			ReactiveFindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME, "SPRING_SECURITY_CONTEXT");

	/** The attributes in Redis, as they were loaded or saved last. */
	final Map<String, byte[]> stored = new HashMap<>();

	private final RedisSessions sessions;

	/** Attributes that were read or set, {@code null} for a removed or unreadable one. */
	private final Map<String, @Nullable Object> values = new HashMap<>();

	private final Set<String> changed = new HashSet<>();

	private final long loadedNanos = System.nanoTime();

	/** The parts of the state as {@code load.lua} describes them, none if it is new. */
	private String[] state = {};

	private String storedId;

	private String id;

	private Instant lastAccessedTime = Instant.EPOCH.plus(ProcessClock.next(), ChronoUnit.MICROS);

	private Duration timeout;

	/** Creates a session that Redis does not have yet. */
	StoredSession(RedisSessions sessions, String id, Duration timeout) {
		this.sessions = sessions;
		this.storedId = id;
		this.id = id;
		this.timeout = timeout;
	}

	/** Notes what Redis has; nothing if the state is empty. */
	StoredSession loaded(String state, Map<String, byte[]> attributes) {
		this.state = state.isEmpty() ? this.state : state.split(" ", 8);
		this.stored.putAll(attributes);
		this.lastAccessedTime = Instant.ofEpochMilli(number(0));
		this.timeout = Duration.ofMillis(number(2));
		return this;
	}

	private long number(int part) {
		return isNew() ? 0 : Long.parseLong(this.state[part]);
	}

	boolean isNew() {
		return this.state.length == 0;
	}

	boolean hasNewId() {
		return isNew() || !this.id.equals(this.storedId);
	}

	boolean hasNewTimeout() {
		return this.timeout.toMillis() != number(2);
	}

	/** Returns the time of the login in microseconds. */
	long login() {
		return number(6);
	}

	/** Returns the principal in Redis, or an empty text. */
	String owner() {
		return isNew() ? "" : this.state[7];
	}

	/** Returns the principal of the attributes, or an empty text. */
	String principal() {
		return PRINCIPAL_NAMES.stream().noneMatch(this.changed::contains) ? owner()
				: PRINCIPAL_NAMES.stream()
					.map((name) -> new PrincipalNameIndexResolver<>(name).resolveIndexValueFor(this))
					.filter(Objects::nonNull)
					.findFirst()
					.orElse("");
	}

	@Override
	public String getId() {
		return this.id;
	}

	@Override
	public String changeSessionId() {
		this.id = this.sessions.changed(this.id);
		return this.id;
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> @Nullable T getAttribute(String name) {
		byte[] bytes = this.values.containsKey(name) ? null : this.stored.get(name);
		if (bytes != null) {
			this.values.put(name, this.sessions.codec().read(name, bytes));
		}
		return (T) this.values.get(name);
	}

	@Override
	public Set<String> getAttributeNames() {
		Set<String> names = new HashSet<>(this.stored.keySet());
		names.addAll(this.changed);
		names.removeIf((name) -> this.changed.contains(name) && this.values.get(name) == null);
		return names;
	}

	@Override
	public void setAttribute(String name, @Nullable Object value) {
		if (value != null) {
			this.sessions.codec().check(name, value);
		}
		this.values.put(name, value);
		this.changed.add(name);
	}

	@Override
	public void removeAttribute(String name) {
		setAttribute(name, null);
	}

	@Override
	public Instant getCreationTime() {
		return isNew() ? this.lastAccessedTime : Instant.EPOCH.plus(number(5), ChronoUnit.MICROS);
	}

	// Redis knows the last access by its own clock
	@Override
	public void setLastAccessedTime(Instant lastAccessedTime) {
		this.lastAccessedTime = lastAccessedTime;
	}

	@Override
	public Instant getLastAccessedTime() {
		return this.lastAccessedTime;
	}

	@Override
	public void setMaxInactiveInterval(Duration interval) {
		Assert.isTrue(interval.toMillis() >= 1, "A session without timeout would stay in Redis for ever:"
				+ " setMaxInactiveInterval needs at least 1ms");
		this.timeout = interval;
	}

	@Override
	public Duration getMaxInactiveInterval() {
		return this.timeout;
	}

	@Override
	public boolean isExpired() {
		return System.nanoTime() - this.loadedNanos >= this.timeout.toNanos();
	}

	Sessions.Info info() {
		Map<String, Integer> sizes = new TreeMap<>();
		this.stored.forEach((name, value) -> sizes.put(name, value.length));
		return new Sessions.Info(this.id, getCreationTime(), this.lastAccessedTime, this.timeout, sizes);
	}

	/**
	 * Returns what the request has changed.
	 * @return bytes by attribute, {@code null} for a removed one; or {@code null} if
	 * Redis has everything
	 */
	@Nullable Map<String, byte @Nullable []> changes() {
		Map<String, byte @Nullable []> changes = new HashMap<>();
		this.values.forEach((name, value) -> {
			boolean isSet = this.changed.contains(name);
			if (value != null && (isSet || isChanged(name, value))) {
				changes.put(name, this.sessions.codec().write(value));
			}
			else if (value == null && isSet && this.stored.containsKey(name)) {
				changes.put(name, null);
			}
		});
		return (changes.isEmpty() && !hasNewId() && !hasNewTimeout()) ? null : changes;
	}

	// Another version may have written the same value differently
	private boolean isChanged(String name, Object value) {
		if (SessionCodec.SIMPLE.contains(value.getClass()) || !this.sessions.properties().detectChanges()) {
			return false;
		}
		SessionCodec codec = this.sessions.codec();
		byte[] before = Objects.requireNonNull(this.stored.get(name));
		byte[] now = codec.write(value);
		Object loaded = Arrays.equals(before, now) ? null : codec.read(name, before);
		return loaded != null && !Arrays.equals(codec.write(loaded), now);
	}

	/** Notes that Redis has what was changed. */
	void saved(Map<String, byte @Nullable []> changes, String id, String state) {
		changes.forEach((name, bytes) -> this.stored.compute(name, (same, before) -> bytes));
		this.changed.removeAll(changes.keySet());
		this.storedId = id;
		this.state = state.split(" ", 8);
	}

	/** Drops what the request has changed. */
	void reset() {
		this.values.clear();
		this.changed.clear();
		this.id = this.storedId;
	}

}
