// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.util.Map;

import io.ge.redis.GeRedisException;
import io.ge.redis.GuardConfigurationException;
import io.ge.redis.Refusal;

/**
 * A stream, queue or channel is used that is not in the properties. Over HTTP a 404.
 */
public class NotConfiguredException extends GeRedisException {

	private final String subject;

	private final String remedy;

	/**
	 * Creates an exception.
	 * @param what what it would be, such as {@code queue}
	 * @param remedy says what to write
	 */
	public NotConfiguredException(String what, String name, String remedy) {
		super("There is no " + what + " '" + name + "'. " + remedy, false);
		this.subject = what + " '" + name + "'";
		this.remedy = remedy;
	}

	/**
	 * Returns the configuration of a name.
	 * @param what the kind, such as {@code queue}
	 * @param properties the properties of the kind, such as {@code ge.redis.queue.queues}
	 * @param example a property of one with its value
	 * @throws NotConfiguredException if the name is not configured
	 */
	public static <T> T find(Map<String, T> configured, String what, String name, String properties, String example) {
		T found = configured.get(name);
		if (found == null) {
			String key = name.contains(".") ? "[" + name + "]" : name;
			throw new NotConfiguredException(what, name,
					"Configure it, such as with " + properties + "." + key + "." + example + ", or correct the name.");
		}
		return found;
	}

	/**
	 * Returns the refusal of a listener that names it.
	 */
	GuardConfigurationException of(GuardedMethod method) {
		return method.problem(this.subject + " is not configured.", this.remedy);
	}

	@Override
	public Refusal refusal() {
		return Refusal.of(404, "not-configured", "Not found", "There is nothing of that name.");
	}

}
