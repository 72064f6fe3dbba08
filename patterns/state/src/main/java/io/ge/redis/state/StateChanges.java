// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.util.List;

/**
 * The changes since a version.
 *
 * @param changes each change, oldest first
 * @param version the version of the workspace; above the version of the last change if
 * there are more
 * @param epoch another one if the workspace has expired and begun anew, 0 if there is no
 * workspace; to be compared where versions are kept for longer than a workspace lives
 * @param gap whether changes are missing before the first one: they are no longer kept,
 * or the workspace has begun anew and not come as far
 */
public record StateChanges(List<StateChange> changes, long version, long epoch, boolean gap) {
}
