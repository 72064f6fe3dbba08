// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.web;

import io.ge.redis.archfixtures.autoconfigure.SoundAutoConfiguration;

class WebKnowsAutoConfiguration {

	SoundAutoConfiguration dependency;

}
