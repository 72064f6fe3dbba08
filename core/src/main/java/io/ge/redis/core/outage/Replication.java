// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.time.Duration;

import io.ge.redis.core.script.ReplicatedReply;
import org.jspecify.annotations.Nullable;

/**
 * The number of replicas that must have the writes of a script.
 *
 * @param replicas how many, above zero
 * @param remedy what to do if they do not, for messages
 */
public record Replication(int replicas, Duration timeout, String subject, String remedy) {

	/**
	 * Describes the missing replicas.
	 */
	String problem(@Nullable ReplicatedReply reply, @Nullable Throwable failure) {
		String wanted = this.replicas + ((this.replicas == 1) ? " replica" : " replicas");
		if (reply == null) {
			return this.subject + " could not be confirmed by " + wanted + " (" + failure + "). " + this.remedy;
		}
		if (reply.acknowledged() >= this.replicas) {
			return this.subject + " was lost before " + wanted + " confirmed it. " + this.remedy;
		}
		String reached = (reply.acknowledged() >= 0) ? String.valueOf(reply.acknowledged()) : "fewer";
		return this.subject + " wants " + wanted + ", and " + reached + " had acknowledged it after "
				+ this.timeout.toMillis() + " ms" + servers(reply.connected()) + ". " + this.remedy;
	}

	private static String servers(int connected) {
		return switch (connected) {
			case -1 -> "";
			case 0 -> ": the server has no replica";
			default -> ", while " + connected + " are connected";
		};
	}

}
