// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.ge.redis.broadcast.BroadcastPattern;
import io.ge.redis.broadcast.BroadcastProperties;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;

/**
 * {@code /actuator/geredis/broadcast} lists all channels with their settings, and counts
 * the messages published to the reliable ones. {@code /actuator/geredis/broadcast/<name>}
 * shows one channel.
 */
@RegisterReflectionForBinding(BroadcastsResource.ChannelReport.class)
class BroadcastsResource extends GuardResource {

	private final Supplier<BroadcastPattern> pattern;

	public BroadcastsResource(Supplier<BroadcastPattern> pattern) {
		super("broadcast", "broadcasts");
		this.pattern = pattern;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly();
		Map<String, BroadcastProperties.Channel> channels = new TreeMap<>(this.pattern.get().channels());
		if (request.path().isEmpty()) {
			Map<String, ChannelReport> all = new TreeMap<>();
			channels.forEach((channel, settings) -> all.put(channel, report(channel, settings)));
			return all;
		}
		String channel = String.join("/", request.path());
		BroadcastProperties.Channel settings = channels.get(channel);
		if (settings == null) {
			throw GuardRequestException.unknown("There is no channel '" + channel + "'.", channels.keySet());
		}
		return report(channel, settings);
	}

	private ChannelReport report(String channel, BroadcastProperties.Channel settings) {
		boolean reliable = settings.mode() == BroadcastProperties.Mode.RELIABLE;
		return new ChannelReport(reliable ? this.pattern.get().published(channel) : 0, settings);
	}

	/**
	 * A channel.
	 *
	 * @param published how many messages were published, 0 for an ephemeral one
	 * @param settings its settings
	 */
	public record ChannelReport(long published, BroadcastProperties.Channel settings) {
	}

}
