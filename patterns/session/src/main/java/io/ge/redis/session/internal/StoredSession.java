// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session.internal;

import java.nio.charset.StandardCharsets;
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
import java.util.UUID;

import io.ge.redis.core.ProcessClock;
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

	/** The fields in Redis, as they were loaded or saved last. */
	final Map<String, byte[]> fields;

	/** The hash of the id. It follows a session whose id another request changes. */
	String hash;

	/** The hash of the id before this request has changed it. */
	@Nullable String replaced;

	private final RedisSessions sessions;

	private final Map<String, Object> values = new HashMap<>();

	private final Set<String> changed = new HashSet<>();

	private final long loadedNanos = System.nanoTime();

	private String id;

	private @Nullable String idBefore;

	private Instant lastAccessedTime;

	private Duration timeout;

	/**
	 * Creates a session.
	 * @param fields as Redis has them, none but the nonce if the session is new
	 */
	StoredSession(RedisSessions sessions, String id, Map<String, byte[]> fields, Duration timeout) {
		this.sessions = sessions;
		this.id = id;
		this.hash = sessions.hash(id);
		this.fields = fields;
		this.lastAccessedTime = fields.containsKey("l") ? Instant.ofEpochMilli(number("l"))
				: Instant.EPOCH.plus(ProcessClock.next(), ChronoUnit.MICROS);
		this.timeout = fields.containsKey("i") ? Duration.ofMillis(number("i")) : timeout;
	}

	static Map<String, byte[]> unsaved() {
		return new HashMap<>(Map.of("n", UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8)));
	}

	@Nullable String text(String field) {
		byte[] value = this.fields.get(field);
		return (value != null) ? new String(value, StandardCharsets.UTF_8) : null;
	}

	long number(String field) {
		String text = text(field);
		return (text != null) ? Long.parseLong(text) : 0;
	}

	/** Returns whether Redis has no session of this id yet. */
	boolean isNew() {
		return this.replaced != null || !this.fields.containsKey("c");
	}

	@Override
	public String getId() {
		return this.id;
	}

	@Override
	public String changeSessionId() {
		if (!isNew()) {
			this.replaced = this.hash;
			this.idBefore = this.id;
		}
		this.id = this.sessions.ids().generate();
		this.hash = this.sessions.hash(this.id);
		return this.id;
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> @Nullable T getAttribute(String name) {
		Object value = this.values.get(name);
		byte[] bytes = (value == null && !this.changed.contains(name)) ? this.fields.get("a:" + name) : null;
		if (bytes != null) {
			value = this.sessions.codec().read(name, bytes);
			if (value != null) {
				this.values.put(name, value);
			}
		}
		return (T) value;
	}

	@Override
	public Set<String> getAttributeNames() {
		Set<String> names = new HashSet<>();
		this.fields.keySet().stream().filter((it) -> it.startsWith("a:")).forEach((it) -> names.add(it.substring(2)));
		names.removeAll(this.changed);
		names.addAll(this.values.keySet());
		return names;
	}

	@Override
	public void setAttribute(String name, @Nullable Object value) {
		this.values.remove(name);
		if (value != null) {
			this.sessions.codec().check(name, value);
			this.values.put(name, value);
		}
		this.changed.add(name);
	}

	@Override
	public void removeAttribute(String name) {
		setAttribute(name, null);
	}

	@Override
	public Instant getCreationTime() {
		return !this.fields.containsKey("c") ? this.lastAccessedTime
				: Instant.EPOCH.plus(number("c"), ChronoUnit.MICROS);
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

	boolean hasNewTimeout() {
		return this.timeout.toMillis() != number("i");
	}

	/**
	 * Returns the principal of the attributes, which may differ from the one in Redis.
	 */
	@Nullable String principal() {
		if (PRINCIPAL_NAMES.stream().noneMatch(this.changed::contains)) {
			return text("p");
		}
		return PRINCIPAL_NAMES.stream()
			.map((name) -> new PrincipalNameIndexResolver<>(name).resolveIndexValueFor(this))
			.filter((name) -> name != null && !name.isEmpty())
			.findFirst()
			.orElse(null);
	}

	/**
	 * Returns what the request has changed.
	 * @return bytes by field, {@code null} for a removed one; or {@code null} if Redis
	 * has everything
	 */
	@Nullable Map<String, byte @Nullable []> changes() {
		Map<String, byte @Nullable []> changes = new HashMap<>();
		for (String name : this.changed) {
			Object value = this.values.get(name);
			if (value != null || this.fields.containsKey("a:" + name)) {
				changes.put("a:" + name, (value != null) ? this.sessions.codec().write(value) : null);
			}
		}
		this.values.forEach((name, value) -> {
			if (!this.changed.contains(name) && this.sessions.properties().detectChanges()
					&& !SessionCodec.SIMPLE.contains(value.getClass())) {
				byte[] now = this.sessions.codec().write(value);
				if (isChanged(name, now)) {
					changes.put("a:" + name, now);
				}
			}
		});
		boolean same = changes.isEmpty() && !isNew() && !hasNewTimeout();
		return same ? null : changes;
	}

	// Another version may have written the same value differently
	private boolean isChanged(String name, byte[] now) {
		byte[] before = Objects.requireNonNull(this.fields.get("a:" + name));
		Object loaded = Arrays.equals(before, now) ? null : this.sessions.codec().read(name, before);
		return loaded != null && !Arrays.equals(this.sessions.codec().write(loaded), now);
	}

	/** Notes that Redis has fields as they are here. */
	void saved(Map<String, byte @Nullable []> changes) {
		changes.forEach((field, bytes) -> {
			if (bytes != null) {
				this.fields.put(field, bytes);
			}
			else {
				this.fields.remove(field);
			}
		});
		this.changed.clear();
		this.replaced = null;
	}

	/** Drops what the request has changed. */
	void reset() {
		this.values.clear();
		this.changed.clear();
		if (this.replaced != null) {
			this.hash = this.replaced;
			this.id = Objects.requireNonNull(this.idBefore);
			this.replaced = null;
		}
	}

}
